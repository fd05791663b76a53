#include "runtime/emulator/PoisonedBytes.h"

#include "runtime/Error.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace fa4::emulator {
namespace {

constexpr uint64_t smallBytes = 4 << 20;
// Linux allows a process some 65,000 mappings.
constexpr uint64_t mappingsOfOne = 4096;

/// A file of poison that exists in memory only.
class PoisonFile {
public:
  explicit PoisonFile(uint64_t size)
      : descriptor(memfd_create("poison", MFD_CLOEXEC)) {
    std::vector<std::byte> poison(size, std::byte{0xff});
    if (descriptor < 0 ||
        ::write(descriptor, poison.data(), size) != static_cast<ssize_t>(size))
      fail("no memory for {} bytes of poison: {}", size, std::strerror(errno));
  }
  ~PoisonFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  PoisonFile(const PoisonFile &) = delete;
  PoisonFile &operator=(const PoisonFile &) = delete;

  const int descriptor;
};

/// The same pages of poison again and again, copied when written.
std::byte *mapPoison(uint64_t size, uint64_t piece) {
  PoisonFile file(piece);
  void *base = mmap(nullptr, size, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    fail("no address space for {} bytes: {}", size, std::strerror(errno));
  auto *bytes = static_cast<std::byte *>(base);
  for (uint64_t at = 0; at < size; at += piece) {
    if (mmap(bytes + at, std::min(piece, size - at), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file.descriptor,
             0) == MAP_FAILED) {
      const int error = errno;
      munmap(base, size);
      fail("cannot map {} bytes: {}", size, std::strerror(error));
    }
  }
  return bytes;
}

} // namespace

PoisonedBytes::PoisonedBytes(uint64_t size) : bytes(nullptr, Free{0}) {
  if (size <= smallBytes) {
    bytes.reset(new std::byte[size]);
    std::memset(bytes.get(), 0xff, size);
    return;
  }
  const uint64_t piece =
      std::max(smallBytes, std::bit_ceil(size / mappingsOfOne));
  bytes = {mapPoison(size, piece), Free{size}};
}

void PoisonedBytes::Free::operator()(std::byte *bytes) const {
  if (mapped)
    munmap(bytes, mapped);
  else
    delete[] bytes;
}

} // namespace fa4::emulator
