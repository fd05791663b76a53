// Staged integers: folded on the host where both sides are known there.
#include "dsl/record/Recorder.h"

using namespace mlir;

namespace tile {

Handle Int::staged(Recorder &recorder) const {
  return handle ? handle : recorder.wrap(recorder.i32(host));
}

Handle Bool::staged(Recorder &recorder) const {
  if (handle)
    return handle;
  return recorder.wrap(
      arith::ConstantIntOp::create(recorder.builder, recorder.here(), host, 1));
}

static Recorder *recorderOf(Int a, Int b) {
  if (a.stagedOrEmpty())
    return a.stagedOrEmpty().recorder;
  return b.stagedOrEmpty().recorder;
}

static Int binary(detail::Arith op, Int a, Int b, int folded) {
  Recorder *recorder = recorderOf(a, b);
  if (!recorder)
    return folded;
  return Int(detail::arith(op, a.staged(*recorder), b.staged(*recorder)));
}

static Bool comparison(detail::Compare op, Int a, Int b, bool folded) {
  Recorder *recorder = recorderOf(a, b);
  if (!recorder)
    return folded;
  return Bool(detail::compare(op, a.staged(*recorder), b.staged(*recorder)));
}

static int host(Int x) { return x.hostValue(); }

Int operator+(Int a, Int b) {
  return binary(detail::Arith::add, a, b, host(a) + host(b));
}
Int operator-(Int a, Int b) {
  return binary(detail::Arith::sub, a, b, host(a) - host(b));
}
Int operator*(Int a, Int b) {
  return binary(detail::Arith::mul, a, b, host(a) * host(b));
}
Int operator/(Int a, Int b) {
  return binary(detail::Arith::div, a, b, host(b) ? host(a) / host(b) : 0);
}
Int operator%(Int a, Int b) {
  return binary(detail::Arith::rem, a, b, host(b) ? host(a) % host(b) : 0);
}
Int min(Int a, Int b) {
  return binary(detail::Arith::min, a, b, std::min(host(a), host(b)));
}
Int max(Int a, Int b) {
  return binary(detail::Arith::max, a, b, std::max(host(a), host(b)));
}
Bool operator<(Int a, Int b) {
  return comparison(detail::Compare::lt, a, b, host(a) < host(b));
}
Bool operator<=(Int a, Int b) {
  return comparison(detail::Compare::le, a, b, host(a) <= host(b));
}
Bool operator==(Int a, Int b) {
  return comparison(detail::Compare::eq, a, b, host(a) == host(b));
}
Bool operator!=(Int a, Int b) {
  return comparison(detail::Compare::ne, a, b, host(a) != host(b));
}

Int select(Bool condition, Int a, Int b) {
  if (condition.isHost())
    return condition.hostValue() ? a : b;
  Recorder *recorder = condition.stagedOrEmpty().recorder;
  return Int(detail::select(condition.staged(*recorder), a.staged(*recorder),
                            b.staged(*recorder)));
}

} // namespace tile
