#include "passes/LaunchInfo.h"
#include "passes/SizeExpression.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tile {

namespace {

/// Builds the dictionaries; `b` makes every attribute.
struct Describer {
  Builder b;
  ir::KernelOp kernel;

  NamedAttribute text(StringRef name, StringRef value) {
    return b.getNamedAttr(name, b.getStringAttr(value));
  }
  NamedAttribute number(StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  }
  NamedAttribute list(StringRef name, ArrayRef<Attribute> values) {
    return b.getNamedAttr(name, b.getArrayAttr(values));
  }
  ArrayAttr numbers(ArrayRef<int64_t> values) {
    return b.getI64ArrayAttr(values);
  }

  static StringRef elementName(Type type) {
    if (type.isInteger(32))
      return "i32";
    return type.isBF16() ? "bf16" : type.isF16() ? "f16" : "f32";
  }

  SmallVector<Attribute> tensors() {
    SmallVector<Attribute> result;
    for (ir::TensorOp op : kernel.getBody().getOps<ir::TensorOp>()) {
      SmallVector<NamedAttribute> fields = {
          text("name", op.getName()), text("role", op.getRole()),
          text("dtype", elementName(op.getElement())),
          b.getNamedAttr("dims", op.getDims())};
      if (op.getZeroed())
        fields.push_back(b.getNamedAttr("zeroed", b.getBoolAttr(true)));
      result.push_back(b.getDictionaryAttr(fields));
    }
    return result;
  }

  Attribute param(ir::TensorMapOp op) {
    auto tensor = op.getTensor().getDefiningOp<ir::TensorOp>();
    SmallVector<int64_t> order;
    for (int64_t dim = tensor.getDims().size() - 1; dim >= 0; --dim)
      order.push_back(dim);
    std::string swizzle =
        op.getSwizzle() ? std::to_string(op.getSwizzle()) + "B" : "none";
    return b.getDictionaryAttr({text("kind", "tensor_map"),
                                text("tensor", tensor.getName()),
                                b.getNamedAttr("order", numbers(order)),
                                b.getNamedAttr("box", numbers(op.getBox())),
                                text("swizzle", swizzle)});
  }

  SmallVector<Attribute> params() {
    SmallVector<Attribute> result;
    for (Operation &op : kernel.getBody().front()) {
      if (auto map = dyn_cast<ir::TensorMapOp>(op))
        result.push_back(param(map));
      if (auto pointer = dyn_cast<ir::PointerOp>(op)) {
        result.push_back(b.getDictionaryAttr(
            {text("kind", "pointer"),
             text("tensor", pointer.getTensor()
                                .getDefiningOp<ir::TensorOp>()
                                .getName())}));
      }
      if (auto scalar = dyn_cast<ir::ScalarOp>(op)) {
        std::string type;
        llvm::raw_string_ostream(type) << scalar.getType();
        result.push_back(
            b.getDictionaryAttr({text("kind", "scalar"), text("type", type),
                                 text("value", scalar.getValue())}));
      }
    }
    return result;
  }

  /// Names in the parameters' expressions that no dim or function explains.
  SmallVector<Attribute> scalars() {
    llvm::StringSet<> known{"sm_count"};
    for (ir::TensorOp op : kernel.getBody().getOps<ir::TensorOp>()) {
      known.insert(op.getName());
      for (StringRef dim : op.getDims().getAsValueRange<StringAttr>())
        known.insert(dim);
    }
    SetVector<StringRef> names;
    for (ir::ScalarOp op : kernel.getBody().getOps<ir::ScalarOp>())
      collectNames(op.getValue(), names);
    names.remove_if([&](StringRef name) { return known.contains(name); });
    SmallVector<Attribute> result;
    for (StringRef name : names)
      result.push_back(b.getStringAttr(name));
    return result;
  }

  SmallVector<Attribute> memoryMap(ir::Memory memory) {
    SmallVector<Attribute> result;
    for (ir::PipeOp pipe : pipesIn(kernel, memory)) {
      int64_t slots = pipe.getDepth() * pipe.getInstances();
      ir::SlotType slot = pipe.getSlotType();
      if (memory == ir::Memory::tmem) {
        result.push_back(b.getDictionaryAttr(
            {text("name", pipe.getName()), number("column", *pipe.getColumn()),
             number("columns", slot.getColumns() * slots)}));
      } else {
        result.push_back(b.getDictionaryAttr(
            {text("name", pipe.getName()), number("offset", *pipe.getOffset()),
             number("bytes", slot.getBytes() * slots),
             number("slots", slots)}));
      }
    }
    return result;
  }

  SmallVector<Attribute> barriers() {
    SmallVector<Attribute> result;
    for (ir::PipeOp pipe : kernel.getBody().getOps<ir::PipeOp>()) {
      auto strings = [&](StringRef name, int64_t edge) {
        return cast<StringAttr>(pipe->getAttrOfType<ArrayAttr>(name)[edge])
            .getValue();
      };
      auto counts = pipe->getAttrOfType<DenseI64ArrayAttr>("counts");
      for (int64_t edge = 0; edge < int64_t(pipe.getEdges().size()); ++edge) {
        result.push_back(b.getDictionaryAttr(
            {text("name", pipe.getName()),
             text("edge", cast<StringAttr>(pipe.getEdges()[edge]).getValue()),
             text("from", strings("from", edge)),
             text("to", strings("to", edge)), text("by", strings("by", edge)),
             number("arrivals", counts[edge]),
             number("mbarriers", pipe.getEdgeParts(edge) * pipe.getDepth() *
                                     pipe.getInstances())}));
      }
    }
    return result;
  }

  SmallVector<Attribute> roles(const WarpPlan &plan) {
    SmallVector<Attribute> result;
    for (const WarpPlan::Group &group : plan.groups) {
      for (ir::RoleOp role : group.roles) {
        result.push_back(b.getDictionaryAttr(
            {text("name", role.getName()),
             number("first_warp", *role.getFirstWarp()),
             number("warps", role.getWarps() * role.getCopies()),
             number("registers", plan.reallocates ? group.registers
                                                  : plan.launchRegisters)}));
      }
    }
    return result;
  }
};
} // namespace

DictionaryAttr describeLaunch(ir::KernelOp kernel, const WarpPlan &plan) {
  Describer d{Builder(kernel.getContext()), kernel};
  auto walk = *kernel.getBody().getOps<ir::WalkOp>().begin();
  int64_t smem = kernel->getAttrOfType<IntegerAttr>("smem_bytes").getInt();
  int64_t tmem = kernel->getAttrOfType<IntegerAttr>("tmem_columns").getInt();
  SmallVector<Attribute> map = d.memoryMap(ir::Memory::rows);
  llvm::append_range(map, d.memoryMap(ir::Memory::smem));
  int64_t barrierCount = 0;
  for (ir::PipeOp pipe : kernel.getBody().getOps<ir::PipeOp>())
    barrierCount += pipe.getNumBarriers();
  Attribute work = kernel->getAttr("work");
  auto proofs = kernel->getAttrOfType<ArrayAttr>("proofs");
  auto resources = d.b.getDictionaryAttr(
      {d.b.getNamedAttr("work", work ? work : d.b.getArrayAttr({})),
       d.number("tmem_columns", tmem), d.number("mbarriers", barrierCount),
       d.list("smem_map", map),
       d.list("tmem_map", d.memoryMap(ir::Memory::tmem)),
       d.list("barriers", d.barriers()), d.list("roles", d.roles(plan)),
       d.b.getNamedAttr("proofs", proofs ? proofs : d.b.getArrayAttr({}))});
  DictionaryAttr info = kernel.getInfo();
  Attribute one = d.b.getStringAttr("1");
  bool pair = kernel->hasAttr("pair");
  Attribute ctas = walk->getAttr("grid");
  if (pair)
    ctas = d.b.getStringAttr("2 * (" + cast<StringAttr>(ctas).getValue() + ")");
  return d.b.getDictionaryAttr(
      {d.text("entry", kernel.getSymName()), d.text("arch", kernel.getArch()),
       d.b.getNamedAttr("op", info.get("op")),
       d.b.getNamedAttr("key", info.get("key")),
       d.b.getNamedAttr("block", d.numbers({plan.threads, 1, 1})),
       d.b.getNamedAttr("cluster", d.numbers({pair ? 2 : 1, 1, 1})),
       d.number("dynamic_shared_bytes", smem),
       d.b.getNamedAttr("programmatic_launch", d.b.getBoolAttr(kernel->hasAttr(
                                                   "programmatic_launch"))),
       d.list("grid", {ctas, one, one}), d.list("tensors", d.tensors()),
       d.list("scalars", d.scalars()), d.list("params", d.params()),
       d.b.getNamedAttr("resources", resources)});
}

} // namespace tile
