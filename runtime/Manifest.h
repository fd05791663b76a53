// A bundle: the kernels of one directory as its manifest.json describes them.
// The fields are those of codegen/manifest.md.
#pragma once

#include "runtime/ElementType.h"
#include "runtime/Expression.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fa4 {

enum class Role { Input, Output, InOut, Scratch };

struct TensorSpec {
  std::string name;
  Role role;
  ElementType type;
  std::vector<Expression> dims; // outermost first
  bool zeroed = false;          // scratch: filled with zeros at each launch
};

/// As in CUtensorMapSwizzle.
enum class MapSwizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };

struct TensorMapParameter {
  std::string tensor;
  std::vector<int> order; // the tensor's dims, innermost first
  std::vector<uint32_t> box;
  MapSwizzle swizzle = MapSwizzle::None;
  uint32_t l2Promotion = 0; // bytes: 0, 64, 128, 256
};

struct PointerParameter {
  std::string tensor;
};

enum class ScalarType { I32, U32, I64, U64, F32, F64 };

struct ScalarParameter {
  ScalarType type;
  Expression value;
};

using Parameter =
    std::variant<TensorMapParameter, PointerParameter, ScalarParameter>;

using KeyValue = std::variant<bool, int64_t, std::string>;
using Key = std::map<std::string, KeyValue>;
/// "true" and "false", integers, everything else.
KeyValue keyValue(std::string_view text);
/// As keys are spelled here: "rescale_slack" for the flag "rescale-slack".
std::string keyName(std::string flag);
std::string keyText(const Key &key); // "causal=true, head_dim=64"

/// Warps of a CTA that the author gave one name; more than 4 are copies of 4.
struct RoleWarps {
  std::string name;
  uint32_t firstWarp, warps;
};

struct KernelEntry {
  std::string name, op, arch, entry;
  Key key;
  std::string ptxPath, cubinPath; // empty when absent
  std::array<uint32_t, 3> block{}, cluster{};
  uint32_t dynamicShared = 0; // bytes
  bool programmaticLaunch = false;
  std::vector<Expression> grid; // three
  std::vector<TensorSpec> tensors;
  std::vector<std::string> scalars;
  std::vector<Parameter> params;
  std::vector<RoleWarps> roles; // for reports; may be empty

  const TensorSpec *findTensor(std::string_view tensor) const;
};

/// What a caller wants. Every pair of `key` must be the kernel's; a kernel
/// without a pair has it as false, and false and true are 0 and 1. The first of
/// `archs` that has a kernel wins; among its kernels the one that disagrees
/// with the fewest pairs of `preferred`, then the one with the fewest pairs of
/// its own.
struct Selection {
  std::string op;
  Key key;
  std::vector<std::string> archs;
  Key preferred;
};

class Bundle {
public:
  /// Throws fa4::Error that names the file, the kernel and the field.
  static Bundle load(const std::string &directory);

  /// Throws fa4::Error that names the nearest kernel and how it differs.
  const KernelEntry &select(const Selection &selection) const;
  const std::vector<KernelEntry> &kernels() const { return entries; }

private:
  [[noreturn]] void failWithNearest(const Selection &selection) const;

  std::string path;
  std::vector<KernelEntry> entries;
};

} // namespace fa4
