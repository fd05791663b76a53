// Sigmoid attention for Blackwell: O = sigmoid(Q K^T scale) V. No row
// statistics and no rescaling, so four fifths of the forward kernel fall away.
#include "codegen/Generator.h"
#include "kernels/attention/AttentionTiles.h"
#include <optional>

using namespace tile;

namespace {

constexpr int rowsPerHalf = 128, keysPerBlock = 128;

Kernel sigmoidForward(const Request &r) {
  const int d = r.headDim;
  KernelBuilder k({"sigmoid_fwd", "sigmoid_attention", r});
  auto dims = [&](const char *seqlen, const char *heads) {
    return std::vector<std::string>{"batch", seqlen, heads, std::to_string(d)};
  };
  Tensor Q = k.input("q", r.dtype, dims("seqlen_q", "heads_q"));
  Tensor K = k.input("k", r.dtype, dims("seqlen_k", "heads_kv"));
  Tensor V = k.input("v", r.dtype, dims("seqlen_k", "heads_kv"));
  Tensor O = k.output("o", r.dtype, dims("seqlen_q", "heads_q"));
  Scalar scale = k.scalar("scale * -1.4426950408889634");
  AttentionSizes sizes(k);
  AttentionTiling tiling{2 * rowsPerHalf, keysPerBlock, r.causal};
  walkAttention(k, sizes, tiling, r);

  auto q = k.ring("q", smem(r.dtype, rowsPerHalf, d), 2);
  auto kv = k.ring("kv", smem(r.dtype, keysPerBlock, d), r.get("kv-stages", 3));
  auto o = k.ring("o", smem(r.dtype, rowsPerHalf, d), 1);
  auto sp = k.duplex("sp", tmem(DType::f32, rowsPerHalf, keysPerBlock),
                     tmem(r.dtype, rowsPerHalf, keysPerBlock, 64), 2);
  auto acc = k.duplex("acc", tmem(DType::f32, rowsPerHalf, d),
                      tmem(DType::f32, rowsPerHalf, d), 2);
  auto tile = [&](const std::vector<Int> &coords) {
    return AttentionTile(k, sizes, tiling, coords);
  };

  k.role("load", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    AttentionTile t = tile(coords);
    for (int h : {0, 1})
      q.put(Q.at({t.batch, t.row(h, rowsPerHalf), t.head}));
    for (Step n : t.blocks()) {
      kv.put(K.at({t.batch, t.key(n.index), t.kvHead}));
      kv.put(V.at({t.batch, t.key(n.index), t.kvHead}));
    }
  });

  k.role("mma", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    AttentionTile t = tile(coords);
    auto q0 = q.take(), q1 = q.take();
    auto o0 = acc.near(0).take(), o1 = acc.near(1).take();
    for (Step n : t.overlapped()) {
      bool hasPrev = n.piece > 0, hasNext = n.piece < 2;
      std::optional<Slot<Smem>> v, next;
      if (hasPrev)
        v.emplace(kv.take());
      if (hasNext)
        next.emplace(kv.take());
      for (int h : {0, 1}) {
        if (hasPrev) {
          auto p = sp.near(h).claim();
          multiply(h ? o1 : o0, mma(p, *v), n.index != 1);
        }
        if (hasNext)
          sp.near(h).put(mma(h ? q1 : q0, T(*next)));
      }
    }
  });

  k.role("score", {.warps = 4, .registers = 176, .copies = 2},
         [&](Int h, const std::vector<Int> &coords) {
           AttentionTile t = tile(coords);
           Row like = k.rowConstant(0, rowsPerHalf);
           for (Step n : t.maskedFirst(h, rowsPerHalf)) {
             Frag x = load(sp.far(h).claim());
             if (n.piece == 0) // a dead score is -inf, its sigmoid 0
               x = t.mask(x, like, n.index, h, rowsPerHalf);
             auto out = sp.far(h).own();
             for (int c = 0; c < keysPerBlock; c += 32) {
               Frag p = reciprocal(exp2(slice(x, c, 32) * scale) + 1.0);
               store(cast(r.dtype, p), out, c);
             }
           }
         });

  k.role("epilogue", {.warps = 4, .registers = 80},
         [&](Int, const std::vector<Int> &) {
           for (int h : {0, 1}) {
             auto in = acc.far(h).take();
             auto out = o.fill();
             for (int c = 0; c < d; c += 16)
               store(cast(r.dtype, load(in, c, 16)), out, c);
           }
         });

  k.role("store", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    AttentionTile t = tile(coords);
    for (int h : {0, 1}) {
      auto out = o.take();
      storeTo(O.at({t.batch, t.row(h, rowsPerHalf), t.head}), out);
    }
  });
  return k.build();
}

KernelDefinition definition() {
  KernelDefinition d;
  d.name = "sigmoid_fwd";
  d.summary = "sigmoid attention, 256 query rows a CTA";
  d.archs = {Arch::sm_100a};
  d.headDims = {{64, 64}, {128, 128}};
  d.schedule = {{"kv-stages", "slots of the K/V ring"}};
  d.build = sigmoidForward;
  return d;
}

} // namespace

int main(int argc, char **argv) {
  return generatorMain(argc, argv, {definition()});
}
