// libFuzzer: no text may crash the PTX parser or the decoder.
#include "runtime/Error.h"
#include "runtime/emulator/Emulator.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    fa4::emulator::Module::parse({reinterpret_cast<const char *>(data), size},
                                 "fuzz.ptx");
  } catch (const fa4::Error &) {
    // The expected answer to most texts.
  }
  return 0;
}
