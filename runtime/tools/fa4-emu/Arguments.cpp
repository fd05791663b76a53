#include "runtime/tools/fa4-emu/Arguments.h"

#include "runtime/Error.h"
#include "runtime/Npy.h"
#include "runtime/emulator/TensorMap.h"

#include <algorithm>
#include <cstring>

namespace fa4 {

namespace {

std::vector<std::byte> bytesOf(const auto &value) {
  std::vector<std::byte> result(sizeof(value));
  std::memcpy(result.data(), &value, sizeof(value));
  return result;
}

} // namespace

BoundArguments::BoundArguments(std::span<const std::string> specs,
                               const emulator::EntryInfo &info,
                               emulator::GlobalMemory &memory)
    : memory(memory) {
  if (specs.size() != info.parameters.size())
    fail("entry '{}' takes {} parameters, not {}", info.name,
         info.parameters.size(), specs.size());
  for (size_t n = 0; n < specs.size(); ++n) {
    tensors.emplace_back();
    bytes.push_back(bind(parseArgumentSpec(specs[n]), n));
    if (bytes[n].size() != info.parameters[n].size)
      fail("argument {} ('{}') has {} bytes, parameter '{}' has {}", n,
           specs[n], bytes[n].size(), info.parameters[n].name,
           info.parameters[n].size);
  }
}

BoundArguments::Tensor BoundArguments::load(const TensorArgument &spec,
                                            size_t argument) {
  Tensor tensor;
  tensor.type = spec.type;
  tensor.outFile = spec.outFile;
  std::vector<std::byte> data;
  const std::string name = fmt::format("argument {}", argument);
  switch (spec.kind) {
  case TensorArgument::Kind::SameAs:
    if (spec.argument >= argument || tensors[spec.argument].address == 0)
      fail("argument {} refers to argument {}, which is no earlier tensor",
           argument, spec.argument);
    tensor = tensors[spec.argument];
    tensor.outFile.clear();
    return tensor;
  case TensorArgument::Kind::Zeros:
    data.resize(spec.bytes);
    break;
  case TensorArgument::Kind::Out: {
    tensor.shape = spec.dims;
    tensor.size = elementSize(spec.type);
    for (int64_t dim : spec.dims)
      tensor.size *= static_cast<uint64_t>(dim);
    tensor.address = memory.allocate(tensor.size, name);
    return tensor;
  }
  default: {
    NpyArray array = readNpy(spec.inFile);
    tensor.shape = array.shape;
    data = array.bytesAs(spec.type);
  }
  }
  tensor.size = data.size();
  tensor.address = memory.allocate(tensor.size, name);
  memory.write(tensor.address, data);
  return tensor;
}

std::vector<std::byte> BoundArguments::bindMap(const TensorMapArgument &spec,
                                               size_t argument) {
  tensors[argument] = load(spec.tensor, argument);
  emulator::TensorMapArguments map;
  map.type = static_cast<emulator::TensorType>(spec.type);
  map.rank = static_cast<uint32_t>(spec.dims.size());
  map.address = tensors[argument].address;
  std::copy(spec.dims.begin(), spec.dims.end(), map.dims.begin());
  std::copy(spec.strides.begin(), spec.strides.end(), map.strides.begin());
  std::copy(spec.box.begin(), spec.box.end(), map.box.begin());
  std::copy(spec.elementStrides.begin(), spec.elementStrides.end(),
            map.elementStrides.begin());
  map.interleave = spec.interleave;
  map.swizzle = static_cast<emulator::Swizzle>(spec.swizzle);
  map.l2Promotion = spec.l2Promotion;
  map.fill = spec.fill;
  return bytesOf(emulator::encodeTiled(map));
}

std::vector<std::byte> BoundArguments::bind(const ArgumentSpec &spec,
                                            size_t argument) {
  if (auto scalar = std::get_if<ScalarArgument>(&spec))
    return scalar->bytes;
  if (auto map = std::get_if<TensorMapArgument>(&spec)) {
    try {
      return bindMap(*map, argument);
    } catch (const Error &error) {
      fail("argument {}: {}", argument, error.what());
    }
  }
  tensors[argument] = load(std::get<TensorArgument>(spec), argument);
  return bytesOf(tensors[argument].address);
}

std::vector<std::byte> BoundArguments::outputs() const {
  std::vector<std::byte> all;
  for (const Tensor &tensor : tensors) {
    if (tensor.outFile.empty())
      continue;
    std::vector<std::byte> data(tensor.size);
    memory.read(tensor.address, data);
    all.insert(all.end(), data.begin(), data.end());
  }
  return all;
}

void BoundArguments::writeOutputs() const {
  for (const Tensor &tensor : tensors) {
    if (tensor.outFile.empty())
      continue;
    std::vector<std::byte> data(tensor.size);
    memory.read(tensor.address, data);
    writeNpy(tensor.outFile, tensor.type, tensor.shape, data);
  }
}

} // namespace fa4
