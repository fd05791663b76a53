#include "runtime/emulator/Machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace fa4::emulator {

Machine::Machine(const Program &program, const Function &function,
                 GlobalMemory &memory, const LaunchConfig &config,
                 const Options &options)
    : program(program), function(function), memory(memory), config(config),
      options(options), cluster(config.cluster), random(options.seed) {
  if (cluster.count() == 0)
    cluster = function.info.cluster;
  if (cluster.count() == 0)
    cluster = {1, 1, 1};
  parameters.resize(function.parameterBytes);
  for (size_t n = 0; n < config.parameters.size(); ++n)
    std::memcpy(parameters.data() + function.parameterOffsets[n],
                config.parameters[n].data(), config.parameters[n].size());
  executed.resize(function.code.size());
  watchesFragments =
      options.checks.race &&
      std::any_of(function.code.begin(), function.code.end(),
                  [](const Instruction &i) { return i.isWgmma; });
}

void Machine::report(const std::string &check, const std::string &message) {
  const uint32_t line = current ? current->line : 0;
  for (const Report &known : reports)
    if (known.check == check && known.ptxLine == line)
      return;
  Report &result = reports.emplace_back();
  result.check = check;
  result.message = message;
  result.ptxLine = line;
  if (current && current->sourceLine &&
      current->sourceFile < program.sourceFiles.size())
    result.source = fmt::format(
        "{}:{}", program.sourceFiles[current->sourceFile], current->sourceLine);
}

Cta &Machine::ctaOf(Cta &cta, uint32_t address) {
  const uint32_t rank = address >> 24;
  auto &ctas = cta.cluster->ctas;
  if (rank >= ctas.size())
    fault("bounds", fmt::format("shared address 0x{:x} names CTA rank {} in a "
                                "cluster of {}",
                                address, rank, ctas.size()));
  return *ctas[rank];
}

} // namespace fa4::emulator
