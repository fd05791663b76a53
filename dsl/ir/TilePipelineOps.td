//===- TilePipelineOps.td - ownership of slots, barriers, variables --------===//
#ifndef TILE_PIPELINE_OPS_TD
#define TILE_PIPELINE_OPS_TD

include "TileTypes.td"

def Tile_AcquireOp : Tile_Op<"acquire", [Tile_InRole]> {
  let summary = "waits until `edge` hands over the next slot";
  let description = [{
    Waits for part `part` of the edge only. The parts of a slot are taken in
    order; after the last one the role stands at the next slot.
  }];
  let arguments = (ins Tile_Pipe:$pipe, I32:$instance, I64Attr:$edge,
      DefaultValuedAttr<I64Attr, "0">:$part);
  let results = (outs Tile_Slot:$slot);
  let assemblyFormat = "$pipe `[` $instance `]` `edge` $edge (`part` $part^)? attr-dict `:` qualified(type($pipe)) `->` qualified(type($slot))";
  let hasVerifier = 1;
}

def Tile_HoldOp : Tile_Op<"hold", [Tile_InRole]> {
  let summary = "the slot that this role owns already (depth 1 only)";
  let arguments = (ins Tile_Pipe:$pipe, I32:$instance);
  let results = (outs Tile_Slot:$slot);
  let assemblyFormat = "$pipe `[` $instance `]` attr-dict `:` qualified(type($pipe)) `->` qualified(type($slot))";
  let hasVerifier = 1;
}

def Tile_ReleaseOp : Tile_Op<"release", [Tile_InRole]> {
  let summary = "hands a slot over along `edge`, after what this role did to it";
  let arguments = (ins Tile_Slot:$slot, I64Attr:$edge,
      DefaultValuedAttr<I64Attr, "0">:$part);
  let hasVerifier = 1;
  let assemblyFormat = "$slot `edge` $edge (`part` $part^)? attr-dict `:` qualified(type($slot))";
}

def Tile_ViewOp : Tile_Op<"view", [Pure]> {
  let summary = "the same memory as another shape or type";
  let description = "`at` counts bytes in shared memory, columns in tensor memory.";
  let arguments = (ins Tile_Slot:$slot, DefaultValuedAttr<I64Attr, "0">:$at);
  let results = (outs Tile_Slot:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$slot `at` $at attr-dict `:` qualified(type($slot)) `->` qualified(type($result))";
}

def Tile_SlotAtOp : Tile_Op<"slot_at", [Pure]> {
  let summary = "a slot by its address: shared byte address, or tensor-memory address";
  let arguments = (ins I32:$address, OptionalAttr<StrAttr>:$pipe);
  let results = (outs Tile_Slot:$result);
  let assemblyFormat = "$address attr-dict `:` qualified(type($result))";
}

def Tile_SmemBaseOp : Tile_Op<"smem_base", [Pure]> {
  let summary = "shared address of the kernel's dynamic shared memory";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_TmemBaseOp : Tile_Op<"tmem_base", [Pure]> {
  let summary = "tensor-memory address of the kernel's allocation";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_BarrierWaitOp : Tile_Op<"barrier_wait"> {
  let summary = "spins until the mbarrier's phase of this parity has completed";
  let description = "With `pair`, sees what the peer CTA did before it arrived.";
  let arguments = (ins I32:$barrier, I32:$parity, OptionalAttr<StrAttr>:$label,
      UnitAttr:$pair);
  let assemblyFormat = "$barrier `,` $parity ($label^)? attr-dict";
}

def Tile_BarrierArriveOp : Tile_Op<"barrier_arrive"> {
  let summary = "one arrival: of this lane, of the warp's elected lane, or of the MMAs so far";
  let arguments = (ins I32:$barrier, StrAttr:$by, OptionalAttr<I64Attr>:$bytes,
      OptionalAttr<StrAttr>:$label, OptionalAttr<StrAttr>:$at);
  let description = [{
    `by` is "lane" (the executing lane), "warp" (bar.warp.sync, then one lane),
    "together" (one lane of a warp that has done nothing since it came together),
    "mma" (tcgen05.commit), "mma_pair" (of a pair's products) or "tma"
    (arrive.expect_tx of `bytes`). `at` which CTA's barrier: this one's where
    absent; "leader", "peer", or "both".
  }];
  let hasVerifier = 1;
  let assemblyFormat = "$barrier `by` $by ($label^)? attr-dict";
}

def Tile_FenceOp : Tile_Op<"fence"> {
  let summary = "an ordering instruction";
  let description = [{
    "async_proxy": generic writes to shared memory before async reads;
    "tmem_before", "tmem_after": tcgen05.fence around a hand-over;
    "tmem_store": tcgen05.wait::st; "bulk_read": stores have read their source.
  }];
  let arguments = (ins StrAttr:$kind);
  let hasVerifier = 1;
  let assemblyFormat = "$kind attr-dict";
}

def Tile_VarOp : Tile_Op<"var"> {
  let summary = "a mutable value with its initial value";
  let arguments = (ins AnyType:$init);
  let results = (outs Tile_Var:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$init `:` type($init) `->` qualified(type($result)) attr-dict";
}

def Tile_GetOp : Tile_Op<"get"> {
  let summary = "reads a variable";
  let arguments = (ins Tile_Var:$var);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$var `:` qualified(type($var)) `->` type($result) attr-dict";
}

def Tile_SetOp : Tile_Op<"set"> {
  let summary = "writes a variable";
  let arguments = (ins Tile_Var:$var, AnyType:$value);
  let hasVerifier = 1;
  let assemblyFormat = "$var `,` $value `:` qualified(type($var)) `,` type($value) attr-dict";
}

#endif
