// Lesson 3: attention on one query tile. S = Q K^T goes out to the softmax
// role, P comes back in the same tensor memory, O accumulates beside it. What
// FA4 adds (attention/Fa4Forward.cpp): a second tile in ping-pong, and a role
// of its own for rescaling O.
#include "dsl/lang/Softmax.h"
#include "kernels/Kernels.h"
#include "kernels/attention/AttentionTiles.h"

namespace tile {

static Kernel attention(const Request &r) {
  constexpr int rows = 128, keys = 128;
  const int d = r.headDim, dv = r.headDimV;
  KernelBuilder k({"lesson_attention", "attention_forward", r});
  auto [Q, K, V, O, LSE, scale] = AttentionOperands(k, r);
  AttentionSizes sizes(k);
  AttentionTiling tiling{rows, keys, r.causal};
  walkAttention(k, sizes, tiling, r);

  auto q = k.ring("q", smem(r.dtype, rows, d), 1);
  auto kv = k.ring("kv", smem(r.dtype, keys, d), 3);
  auto o = k.ring("o", smem(r.dtype, rows, dv), 1);
  auto sp = k.duplex("sp", tmem(DType::f32, rows, keys),
                     tmem(r.dtype, rows, keys, 64));
  auto acc =
      k.duplex("acc", tmem(DType::f32, rows, dv), tmem(DType::f32, rows, dv));
  auto tile = [&](const std::vector<Int> &coords) {
    return AttentionTile(k, sizes, tiling, coords);
  };

  k.role("load", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    AttentionTile t = tile(coords);
    q.put(Q.at({t.batch, t.row(0, rows), t.head}));
    for (Step n : t.blocks()) {
      kv.put(K.at({t.batch, t.key(n.index), t.kvHead}));
      kv.put(V.at({t.batch, t.key(n.index), t.kvHead}));
    }
  });
  k.role("mma", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    auto query = q.take();
    for (Step n : tile(coords).blocks()) {
      auto key = kv.take();
      sp.near().put(mma(query, T(key)));
      auto value = kv.take();
      auto p = sp.near().claim();
      auto out = acc.near().take();
      multiply(out, mma(p, value), n.index != 0);
    }
  });
  k.role("softmax", {.warps = 4, .registers = 240},
         [&](Int, const std::vector<Int> &coords) {
           AttentionTile t = tile(coords);
           const double inf = std::numeric_limits<double>::infinity();
           Row zero = k.rowConstant(0, rows);
           OnlineSoftmax row(k.rowConstant(-inf, rows), zero, scale, 0);
           for (Step n : t.peelFirst()) {
             Frag x = load(sp.far().claim());
             x = t.mask(x, zero, n.index, 0, rows);
             Row factor = row.update(x);
             if (n.piece > 0) { // nothing is accumulated before
               auto out = acc.far().take();
               for (int c = 0; c < dv; c += 32)
                 store(load(out, c, 32) * factor, out, c);
             }
             Frag p = row.exp(x, {});
             row.add(p);
             auto back = sp.far().own();
             store(cast(r.dtype, p), back);
           }
           Row inverse = OnlineSoftmax::normalizer(row.total());
           auto in = acc.far().take();
           auto out = o.fill();
           for (int c = 0; c < dv; c += 32)
             store(cast(r.dtype, load(in, c, 32) * inverse), out, c);
           t.storeLse(LSE, row.logSumExp(), 0, rows);
         });
  k.role("store", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    AttentionTile t = tile(coords);
    auto out = o.take();
    storeTo(O.at({t.batch, t.row(0, rows), t.head}), out);
  });
  return k.build();
}

KernelDefinition lessonAttentionDefinition() {
  KernelDefinition d;
  d.name = "lesson_attention";
  d.summary = "lesson 3: attention on one query tile";
  d.archs = {Arch::sm_100a};
  d.headDims = {{64, 64}, {128, 128}};
  d.reject = [](const Request &) { return std::nullopt; };
  d.build = attention;
  return d;
}

} // namespace tile
