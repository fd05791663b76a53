#include "runtime/tools/fa4-run/GuardedTensor.h"

#include "runtime/Error.h"

#include <algorithm>
#include <cstring>

namespace fa4 {
namespace {

constexpr std::byte nanByte{0xff};
constexpr std::byte canaryByte{0xc5};
constexpr int64_t paddingElements = 8;

/// Strides of a layout, outermost dim first; tensors of other than four dims
/// are always contiguous.
std::vector<int64_t> stridesOf(const GuardedTensorSpec &spec) {
  std::vector<std::size_t> storage(spec.dims.size());
  for (std::size_t i = 0; i < storage.size(); ++i)
    storage[i] = i;
  Layout layout = storage.size() == 4 ? spec.layout : Layout::Bshd;
  if (layout == Layout::Bhsd)
    std::swap(storage[1], storage[2]);
  std::vector<int64_t> strides(spec.dims.size());
  int64_t stride = 1;
  for (std::size_t i = storage.size(); i-- > 0;) {
    strides[storage[i]] = stride;
    stride *= std::max<int64_t>(spec.dims[storage[i]], 1);
    if (layout == Layout::Padded && i + 1 == storage.size())
      stride += paddingElements;
  }
  return strides;
}

int64_t spanOf(const Tensor &tensor) {
  int64_t span = 1;
  for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
    if (tensor.dims[i] == 0)
      return 0;
    span += (tensor.dims[i] - 1) * tensor.strides[i];
  }
  return span;
}

Tensor viewOf(const GuardedTensorSpec &spec) {
  return {0, spec.type, spec.dims, stridesOf(spec)};
}

uint64_t bytesOf(const GuardedTensorSpec &spec) {
  return 2 * spec.guard +
         static_cast<uint64_t>(spanOf(viewOf(spec))) * elementSize(spec.type);
}

} // namespace

GuardedTensor::GuardedTensor(Device &device, GuardedTensorSpec wanted)
    : device(device), spec(std::move(wanted)), view(viewOf(spec)),
      image(bytesOf(spec), spec.output ? canaryByte : nanByte),
      buffer(device, image.size(), spec.name) {
  view.address = buffer.address() + spec.guard;
  forEachRow([&](std::size_t at, std::size_t, std::size_t bytes) {
    std::fill_n(image.begin() + static_cast<std::ptrdiff_t>(at), bytes,
                nanByte);
  });
  device.upload(buffer.address(), image);
}

/// action(offset in the image, offset in contiguous bytes, bytes) for each row
/// of the last dim.
template <typename Action>
void GuardedTensor::forEachRow(Action &&action) const {
  if (view.elements() == 0)
    return;
  std::size_t size = elementSize(spec.type);
  std::size_t rowBytes = static_cast<std::size_t>(spec.dims.back()) * size;
  std::vector<int64_t> index(spec.dims.size(), 0);
  for (std::size_t contiguous = 0;; contiguous += rowBytes) {
    int64_t offset = 0;
    for (std::size_t i = 0; i < index.size(); ++i)
      offset += index[i] * view.strides[i];
    action(spec.guard + static_cast<std::size_t>(offset) * size, contiguous,
           rowBytes);
    std::size_t dim = index.size() - 1;
    while (dim-- > 0 && ++index[dim] == spec.dims[dim])
      index[dim] = 0;
    if (dim == static_cast<std::size_t>(-1))
      return;
  }
}

void GuardedTensor::store(std::span<const float> values) {
  std::vector<std::byte> bytes = encodeElements(spec.type, values);
  forEachRow([&](std::size_t at, std::size_t from, std::size_t count) {
    std::memcpy(image.data() + at, bytes.data() + from, count);
  });
  device.upload(buffer.address(), image);
}

std::vector<float> GuardedTensor::load() {
  std::vector<std::byte> now(image.size());
  device.download(buffer.address(), now);
  std::vector<std::byte> bytes(static_cast<std::size_t>(view.elements()) *
                               elementSize(spec.type));
  forEachRow([&](std::size_t at, std::size_t to, std::size_t count) {
    std::memcpy(bytes.data() + to, now.data() + at, count);
  });
  return decodeElements(spec.type, bytes);
}

std::optional<std::string> GuardedTensor::damage() {
  std::vector<std::byte> now(image.size());
  device.download(buffer.address(), now);
  if (spec.output)
    forEachRow([&](std::size_t at, std::size_t, std::size_t count) {
      std::memcpy(image.data() + at, now.data() + at, count);
    });
  auto [was, is] = std::mismatch(image.begin(), image.end(), now.begin());
  if (was == image.end())
    return std::nullopt;
  std::size_t at = static_cast<std::size_t>(was - image.begin());
  if (at < spec.guard)
    return fmt::format("'{}': the byte {} before its start was overwritten",
                       spec.name, spec.guard - at);
  if (at >= image.size() - spec.guard)
    return fmt::format("'{}': the byte {} past its end was overwritten",
                       spec.name, at - (image.size() - spec.guard));
  return fmt::format("'{}': byte {}, {}, was overwritten", spec.name,
                     at - spec.guard,
                     spec.output ? "between its rows" : "of an input");
}

} // namespace fa4
