// Argument specs bound to the emulator's memory: parameter bytes before the
// launch, output files after it.
#pragma once

#include "runtime/ArgumentSpec.h"
#include "runtime/emulator/Emulator.h"

#include <span>
#include <string>
#include <vector>

namespace fa4 {

class BoundArguments {
public:
  /// Reads the input files and allocates. `info` tells which tensor maps the
  /// entry takes by value. Throws fa4::Error that names the argument.
  BoundArguments(std::span<const std::string> specs,
                 const emulator::EntryInfo &info,
                 emulator::GlobalMemory &memory);

  const std::vector<std::vector<std::byte>> &parameters() const {
    return bytes;
  }
  void writeOutputs() const;
  /// The bytes of all outputs.
  std::vector<std::byte> outputs() const;

private:
  struct Tensor {
    uint64_t address = 0;
    std::string outFile; // empty: not an output
    ElementType type = ElementType::F32;
    std::vector<int64_t> shape;
    uint64_t size = 0; // bytes
  };

  std::vector<std::byte> bind(const ArgumentSpec &spec, size_t argument);
  std::vector<std::byte> bindMap(const TensorMapArgument &spec,
                                 size_t argument);
  Tensor load(const TensorArgument &spec, size_t argument);

  emulator::GlobalMemory &memory;
  std::vector<Tensor> tensors; // by argument
  std::vector<std::vector<std::byte>> bytes;
};

} // namespace fa4
