#include "runtime/emulator/DirectedRounding.h"

#include <cfenv>

#pragma STDC FENV_ACCESS ON

namespace fa4::emulator {

namespace {

/// The host's rounding mode while it lives.
class HostRounding {
public:
  explicit HostRounding(RoundingMode mode) : before(std::fegetround()) {
    static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                    FE_UPWARD};
    std::fesetround(modes[static_cast<int>(mode)]);
  }
  ~HostRounding() { std::fesetround(before); }

private:
  int before;
};

} // namespace

double addDirected(double a, double b, RoundingMode mode) {
  HostRounding rounding(mode);
  return a + b;
}
double multiplyDirected(double a, double b, RoundingMode mode) {
  HostRounding rounding(mode);
  return a * b;
}
double fmaDirected(double a, double b, double c, RoundingMode mode) {
  HostRounding rounding(mode);
  return __builtin_fma(a, b, c);
}
float divideDirected(float a, float b, RoundingMode mode) {
  HostRounding rounding(mode);
  return a / b;
}
double divideDirected(double a, double b, RoundingMode mode) {
  HostRounding rounding(mode);
  return a / b;
}
float squareRootDirected(float x, RoundingMode mode) {
  HostRounding rounding(mode);
  return __builtin_sqrtf(x);
}
double squareRootDirected(double x, RoundingMode mode) {
  HostRounding rounding(mode);
  return __builtin_sqrt(x);
}

} // namespace fa4::emulator
