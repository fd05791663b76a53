// What the types of the language refuse, checked by clang's -verify.
#include "dsl/lang/KernelBuilder.h"

using namespace tile;

// A slot has one owner.
void copied(Ring<Smem> &ring) {
  auto a = ring.take();
  auto b = a; // expected-error {{call to deleted constructor of 'Slot<tile::Smem>'}}
}

// A take that nobody keeps would be released at once.
void dropped(Ring<Smem> &ring, Duplex<Tmem> &acc) {
  ring.take(); // expected-warning {{ignoring return value of type 'Slot<tile::Smem>' declared with 'nodiscard'}}
  acc.near().take(); // expected-warning {{ignoring return value of type 'Slot<tile::Tmem>' declared with 'nodiscard'}}
}

// Two takes in one call have no order: g++ and clang really differ.
void unordered(Ring<Smem> &kv, Duplex<Tmem> &sp, const Slot<Tmem> &out) {
  auto v = kv.take();
  multiply(out, mma(sp.near().take(), v), true); // expected-error {{call to deleted function 'mma'}}
  auto p = sp.near().take();
  multiply(out, mma(p, kv.take()), true); // expected-error {{call to deleted function 'mma'}}
  multiply(out, mma(v, T(kv.take())), true); // expected-error {{call to deleted function 'T'}}
}

// Accumulators live in tensor memory.
void wrongMemory(Ring<Smem> &ring, Ring<Rows> &stats) {
  auto a = ring.take(), b = ring.take();
  multiply(a, mma(a, b), true); // expected-error {{no matching function for call to 'multiply'}}
  auto row = stats.take();
  mma(a, row); // expected-error {{no matching function for call to 'mma'}}
}

// A tile of a tensor goes to shared memory, a row to a ring of rows.
void wrongPut(Ring<Smem> &ring, Ring<Rows> &stats, Row row, Frag x, View view) {
  stats.put(x); // expected-error {{no matching member function for call to 'put'}}
  auto out = stats.fill();
  store(x, out); // expected-error {{no matching function for call to 'store'}}
}

// Products go to duplexes, views to rings.
void wrongEnd(Ring<Smem> &ring, Duplex<Tmem> &acc, const Slot<Smem> &a, View view) {
  ring.put(mma(a, a)); // expected-error {{no matching member function for call to 'put'}}
  acc.near().put(view); // expected-error {{no viable conversion}}
}

// A staged condition can't steer the host program.
void stagedIf(Int n) {
  if (n < 3) { // expected-error {{is not contextually convertible to 'bool'}}
  }
}

// A product in flight is awaited once.
void pending(const WarpgroupProduct &product) {
  start(product); // expected-warning {{ignoring return value of type 'Pending' declared with 'nodiscard'}}
  Pending p = start(product);
  await(p); // expected-error {{no matching function for call to 'await'}}
}
