// f64 arithmetic and f32 division and roots in the directed rounding modes.
#pragma once

#include "runtime/emulator/FloatRounding.h"

namespace fa4::emulator {

double addDirected(double a, double b, RoundingMode mode);
double multiplyDirected(double a, double b, RoundingMode mode);
double fmaDirected(double a, double b, double c, RoundingMode mode);
float divideDirected(float a, float b, RoundingMode mode);
double divideDirected(double a, double b, RoundingMode mode);
float squareRootDirected(float x, RoundingMode mode);
double squareRootDirected(double x, RoundingMode mode);

} // namespace fa4::emulator
