"""Times the peers on this GPU, forward and backward: cuDNN through PyTorch, and
Triton's fused attention (kernels of our own).

usage: bench_peers.py [--dims 64,128] [--seqlens 1024,...] [--masks full,causal]
                      [--way fwd|bwd] [--peers cudnn,triton]
Prints one line a measurement: way, peer, head dim, mask, seqlen, TFLOP/s."""
import argparse
import statistics

import torch
import triton
import triton.language as tl
from torch.nn.attention import SDPBackend, sdpa_kernel

WARM_UPS, LAUNCHES = 5, 30


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, seqlen, scale, stride_b, stride_s, stride_h, heads,
           D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr):
    """One tile of M query rows; tensors are [batch, seqlen, heads, D], LSE (of base
    2) is [batch * heads, seqlen]."""
    tile = tl.num_programs(0) - 1 - tl.program_id(0)
    base = (tl.program_id(1) // heads).to(tl.int64) * stride_b + tl.program_id(1) % heads * stride_h
    shape, strides = (seqlen, D), (stride_s, 1)
    q = tl.load(tl.make_block_ptr(q_ptr + base, shape, strides, (tile * M, 0), (M, D), (1, 0)))
    k_block = tl.make_block_ptr(k_ptr + base, (D, seqlen), (1, stride_s), (0, 0), (D, N), (0, 1))
    v_block = tl.make_block_ptr(v_ptr + base, shape, strides, (0, 0), (N, D), (1, 0))
    rows = tile * M + tl.arange(0, M)
    highest = tl.full((M,), float("-inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    acc = tl.zeros((M, D), tl.float32)
    unmasked = tile * M if CAUSAL else seqlen
    for start in range(0, unmasked, N):
        s = tl.dot(q, tl.load(k_block))
        fresh = tl.maximum(highest, tl.max(s, 1) * scale)
        p = tl.exp2(s * scale - fresh[:, None])
        factor = tl.exp2(highest - fresh)
        total = total * factor + tl.sum(p, 1)
        acc = tl.dot(p.to(q.dtype), tl.load(v_block), acc * factor[:, None])
        highest = fresh
        k_block = tl.advance(k_block, (0, N))
        v_block = tl.advance(v_block, (N, 0))
    if CAUSAL:
        for start in range(tile * M, (tile + 1) * M, N):
            s = tl.dot(q, tl.load(k_block))
            live = rows[:, None] >= start + tl.arange(0, N)[None, :]
            s = tl.where(live, s * scale, float("-inf"))
            fresh = tl.maximum(highest, tl.max(s, 1))
            p = tl.exp2(s - fresh[:, None])
            factor = tl.exp2(highest - fresh)
            total = total * factor + tl.sum(p, 1)
            acc = tl.dot(p.to(q.dtype), tl.load(v_block), acc * factor[:, None])
            highest = fresh
            k_block = tl.advance(k_block, (0, N))
            v_block = tl.advance(v_block, (N, 0))
    out = tl.make_block_ptr(o_ptr + base, shape, strides, (tile * M, 0), (M, D), (1, 0))
    tl.store(out, (acc / total[:, None]).to(q.dtype))
    tl.store(lse_ptr + tl.program_id(1) * seqlen + rows, highest + tl.log2(total))


@triton.jit
def row_sums(o_ptr, do_ptr, delta_ptr, seqlen, stride_b, stride_s, stride_h, heads,
             D: tl.constexpr, M: tl.constexpr):
    """delta = rowsum(O * dO) of M rows."""
    base = (tl.program_id(1) // heads).to(tl.int64) * stride_b + tl.program_id(1) % heads * stride_h
    rows = tl.program_id(0) * M + tl.arange(0, M)
    at = base + rows[:, None] * stride_s + tl.arange(0, D)[None, :]
    product = tl.load(o_ptr + at).to(tl.float32) * tl.load(do_ptr + at).to(tl.float32)
    tl.store(delta_ptr + tl.program_id(1) * seqlen + rows, tl.sum(product, 1))


@triton.jit
def key_gradients(q_ptr, k_ptr, v_ptr, do_ptr, dk_ptr, dv_ptr, lse_ptr, delta_ptr, seqlen, scale, stride_b,
                  stride_s, stride_h, heads, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
                  CAUSAL: tl.constexpr):
    """dK and dV of N keys; M query rows at a time."""
    base = (tl.program_id(1) // heads).to(tl.int64) * stride_b + tl.program_id(1) % heads * stride_h
    first = tl.program_id(0) * N
    shape, strides = (seqlen, D), (stride_s, 1)
    k = tl.load(tl.make_block_ptr(k_ptr + base, shape, strides, (first, 0), (N, D), (1, 0)))
    v = tl.load(tl.make_block_ptr(v_ptr + base, shape, strides, (first, 0), (N, D), (1, 0)))
    dk, dv = tl.zeros((N, D), tl.float32), tl.zeros((N, D), tl.float32)
    begin = first if CAUSAL else 0
    q_block = tl.make_block_ptr(q_ptr + base, shape, strides, (begin, 0), (M, D), (1, 0))
    do_block = tl.make_block_ptr(do_ptr + base, shape, strides, (begin, 0), (M, D), (1, 0))
    keys = first + tl.arange(0, N)
    for start in range(begin, seqlen, M):
        q, do = tl.load(q_block), tl.load(do_block)
        rows = start + tl.arange(0, M)
        lse = tl.load(lse_ptr + tl.program_id(1) * seqlen + rows)
        delta = tl.load(delta_ptr + tl.program_id(1) * seqlen + rows)
        p = tl.exp2(tl.dot(k, tl.trans(q)) * (scale * 1.4426950408889634) - lse[None, :])
        if CAUSAL:
            p = tl.where(rows[None, :] >= keys[:, None], p, 0.0)
        dv = tl.dot(p.to(q.dtype), do, dv)
        ds = p * (tl.dot(v, tl.trans(do)) - delta[None, :])
        dk = tl.dot(ds.to(q.dtype), q, dk)
        q_block = tl.advance(q_block, (M, 0))
        do_block = tl.advance(do_block, (M, 0))
    at = (first, 0)
    tl.store(tl.make_block_ptr(dk_ptr + base, shape, strides, at, (N, D), (1, 0)), (dk * scale).to(k.dtype))
    tl.store(tl.make_block_ptr(dv_ptr + base, shape, strides, at, (N, D), (1, 0)), dv.to(k.dtype))


@triton.jit
def query_gradients(q_ptr, k_ptr, v_ptr, do_ptr, dq_ptr, lse_ptr, delta_ptr, seqlen, scale, stride_b, stride_s,
                    stride_h, heads, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr):
    """dQ of M query rows; N keys at a time."""
    base = (tl.program_id(1) // heads).to(tl.int64) * stride_b + tl.program_id(1) % heads * stride_h
    first = tl.program_id(0) * M
    shape, strides = (seqlen, D), (stride_s, 1)
    q = tl.load(tl.make_block_ptr(q_ptr + base, shape, strides, (first, 0), (M, D), (1, 0)))
    do = tl.load(tl.make_block_ptr(do_ptr + base, shape, strides, (first, 0), (M, D), (1, 0)))
    rows = first + tl.arange(0, M)
    lse = tl.load(lse_ptr + tl.program_id(1) * seqlen + rows)
    delta = tl.load(delta_ptr + tl.program_id(1) * seqlen + rows)
    dq = tl.zeros((M, D), tl.float32)
    k_block = tl.make_block_ptr(k_ptr + base, shape, strides, (0, 0), (N, D), (1, 0))
    v_block = tl.make_block_ptr(v_ptr + base, shape, strides, (0, 0), (N, D), (1, 0))
    for start in range(0, first + M if CAUSAL else seqlen, N):
        k, v = tl.load(k_block), tl.load(v_block)
        p = tl.exp2(tl.dot(q, tl.trans(k)) * (scale * 1.4426950408889634) - lse[:, None])
        if CAUSAL:
            p = tl.where(rows[:, None] >= start + tl.arange(0, N)[None, :], p, 0.0)
        ds = p * (tl.dot(do, tl.trans(v)) - delta[:, None])
        dq = tl.dot(ds.to(q.dtype), k, dq)
        k_block = tl.advance(k_block, (N, 0))
        v_block = tl.advance(v_block, (N, 0))
    tl.store(tl.make_block_ptr(dq_ptr + base, shape, strides, (first, 0), (M, D), (1, 0)), (dq * scale).to(q.dtype))


def fastest(configs, launch):
    """`launch` with the best of the configs."""

    def cost(config):
        try:
            return median(lambda: launch(config), 3)
        except triton.runtime.errors.OutOfResources:
            return float("inf")

    best = min(configs, key=cost)
    return lambda: launch(best)


FORWARD_CONFIGS = [(128, 128, 8, 2), (128, 64, 8, 3), (128, 64, 4, 3), (64, 64, 4, 3)]


def triton_forward(q, k, v, causal):
    """Launches with a config; returns O and LSE."""
    batch, seqlen, heads, dim = q.shape
    out = torch.empty_like(q)
    lse = torch.empty(batch * heads, seqlen, device="cuda")
    scale = dim**-0.5 * 1.4426950408889634

    def launch(config):
        m, n, warps, stages = config
        attend[(seqlen // m, batch * heads)](
            q, k, v, out, lse, seqlen, scale, q.stride(0), q.stride(1), q.stride(2), heads,
            D=dim, M=m, N=n, CAUSAL=causal, num_warps=warps, num_stages=stages)
        return out, lse

    return launch


def triton_peer(q, k, v, causal):
    launch = triton_forward(q, k, v, causal)
    return fastest(FORWARD_CONFIGS, lambda config: launch(config)[0])


def triton_backward(q, k, v, causal, upstream):
    batch, seqlen, heads, dim = q.shape
    out, lse = triton_forward(q, k, v, causal)(FORWARD_CONFIGS[-1])
    delta = torch.empty_like(lse)
    dq, dk, dv = (torch.empty_like(x) for x in (q, k, v))
    strides = (q.stride(0), q.stride(1), q.stride(2), heads)
    rest = (lse, delta, seqlen, dim**-0.5, *strides)

    def sums():
        row_sums[(seqlen // 64, batch * heads)](out, upstream, delta, seqlen, *strides, D=dim, M=64)

    def keys(config):
        m, n, warps, stages = config
        key_gradients[(seqlen // n, batch * heads)](q, k, v, upstream, dk, dv, *rest, D=dim, M=m, N=n,
                                                    CAUSAL=causal, num_warps=warps, num_stages=stages)

    def queries(config):
        m, n, warps, stages = config
        query_gradients[(seqlen // m, batch * heads)](q, k, v, upstream, dq, *rest, D=dim, M=m, N=n,
                                                      CAUSAL=causal, num_warps=warps, num_stages=stages)

    sums()
    best_keys = fastest([(64, 128, 8, 2), (64, 128, 8, 3), (64, 64, 4, 3), (32, 128, 8, 3)], keys)
    best_queries = fastest([(128, 64, 8, 2), (128, 64, 8, 3), (64, 64, 4, 3), (128, 128, 8, 2)], queries)

    def launch():
        sums()
        best_keys()
        best_queries()
        return dq, dk, dv

    return launch


def cudnn_peer(q, k, v, causal):
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))

    def launch():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(1, 2)

    return launch


def median(action, launches=LAUNCHES):
    """Median milliseconds of `launches` calls after a warm-up."""
    pairs = []
    for _ in range(WARM_UPS + launches):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        action()
        end.record()
        pairs.append((begin, end))
    torch.cuda.synchronize()
    return statistics.median(b.elapsed_time(e) for b, e in pairs[WARM_UPS:])


def cudnn_backward(q, k, v, causal, upstream):
    q, k, v = (x.transpose(1, 2).detach().requires_grad_() for x in (q, k, v))
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    upstream = upstream.transpose(1, 2)

    def launch():
        gradients = torch.autograd.grad(out, (q, k, v), upstream, retain_graph=True)
        return tuple(x.transpose(1, 2) for x in gradients)

    return launch


def time_shape(options, dim, causal, seqlen):
    batch = max(1, options.tokens // seqlen)
    shape = (batch, seqlen, options.heads, dim)
    tensors = [torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(3)]
    flops = 4.0 * batch * options.heads * seqlen * seqlen * dim / (2 if causal else 1)
    makers = {"cudnn": cudnn_peer, "triton": triton_peer}
    if options.way == "bwd":  # five matrix products against two
        flops, makers = flops * 2.5, {"cudnn": cudnn_backward, "triton": triton_backward}
    inputs = [*tensors, causal]
    if options.way == "bwd":
        inputs.append(torch.randn(shape, device="cuda", dtype=torch.bfloat16))
    outputs = []
    for peer in options.peers.split(","):
        action = makers[peer](*inputs)
        result = action()
        outputs.append(result if isinstance(result, tuple) else (result,))
        rate = flops / median(action) / 1e9
        mask = "causal" if causal else "full"
        print(f"{options.way} {peer} d{dim} {mask} {seqlen} {rate:.1f}", flush=True)
    for other in outputs[1:]:
        for one, two in zip(outputs[0], other):
            error = (one - two).float().abs().max().item()
            assert error < 0.05 * max(1.0, one.float().abs().max().item()), f"the peers differ by {error}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dims", default="64,128")
    parser.add_argument("--seqlens", default="1024,2048,4096,8192,16384")
    parser.add_argument("--masks", default="full,causal")
    parser.add_argument("--way", choices=("fwd", "bwd"), default="fwd")
    parser.add_argument("--peers", default="cudnn,triton")
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=16384)
    options = parser.parse_args()
    print(f"# versions torch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}, "
          f"Triton {triton.__version__}", flush=True)
    for dim in map(int, options.dims.split(",")):
        for mask in options.masks.split(","):
            for seqlen in map(int, options.seqlens.split(",")):
                time_shape(options, dim, mask == "causal", seqlen)


main()
