#include "test/hardware/InputFormula.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace fa4::hardware {
namespace {

// The splitmix64 finalizer over a counter.
uint64_t mix(uint64_t seed, uint64_t index) {
  uint64_t z = seed * 0xD1342543DE82EF95u + (index + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

class Formula {
public:
  Formula(const nlohmann::json &spec, const nlohmann::json &tables)
      : spec(spec), kind(spec.at("generate")), seed(spec.at("seed")),
        values(table("values", tables)), others(table("others", tables)) {}

  uint64_t element(uint64_t index) const {
    const uint64_t h1 = mix(seed, 2 * index), h2 = mix(seed, 2 * index + 1);
    if (kind == "bits")
      return h2;
    if (kind == "choice")
      return pick(h1);
    if (kind == "rare")
      return h1 % spec.at("every").get<uint64_t>() == 0
                 ? pick(h1)
                 : others[h2 % others.size()];
    if (kind == "float")
      return floating(h1, h2);
    if (kind == "integer")
      return h1 % 4 < 2 ? pick(h1) : h1 % 4 == 2 ? h2 : h2 & 0xFF;
    if (kind == "sequence")
      return sequence(index);
    if (kind == "uniform")
      return uniform(h2);
    throw std::runtime_error("unknown formula " + kind);
  }

private:
  std::vector<uint64_t> table(const char *key,
                              const nlohmann::json &tables) const {
    if (!spec.contains(key))
      return {};
    const nlohmann::json &named = spec.at(key);
    return named.is_string() ? tables.at(named.get<std::string>())
                                   .get<std::vector<uint64_t>>()
                             : named.get<std::vector<uint64_t>>();
  }

  uint64_t pick(uint64_t h1) const { return values[(h1 >> 8) % values.size()]; }

  uint64_t floating(uint64_t h1, uint64_t h2) const {
    const uint64_t choice = spec.value("plain", false) ? 2 : h1 % 4;
    if (choice == 0)
      return pick(h1);
    if (choice == 1)
      return h2;
    const unsigned exponentBits = spec.at("format")[0];
    const unsigned mantissaBits = spec.at("format")[1];
    const uint64_t low = spec.at("exponent")[0], high = spec.at("exponent")[1];
    const uint64_t exponent = low + (h2 >> 52 & 0x7FF) % (high - low + 1);
    return h2 >> 63 << (exponentBits + mantissaBits) |
           exponent << mantissaBits |
           (h2 & ((uint64_t(1) << mantissaBits) - 1));
  }

  uint64_t sequence(uint64_t index) const {
    const uint64_t value = spec.at("first").get<uint64_t>() +
                           index * spec.at("step").get<uint64_t>();
    return spec.contains("modulus") ? value % spec.at("modulus").get<uint64_t>()
                                    : value;
  }

  uint64_t uniform(uint64_t h2) const {
    const double low = spec.at("low"), high = spec.at("high");
    const double value = low + (high - low) * (double(h2 >> 40) / 16777216.0);
    return std::bit_cast<uint32_t>(float(value));
  }

  const nlohmann::json &spec;
  std::string kind;
  uint64_t seed;
  std::vector<uint64_t> values, others;
};

} // namespace

std::vector<std::byte> makeInput(const nlohmann::json &spec,
                                 const nlohmann::json &tables) {
  const Formula formula(spec, tables);
  const std::size_t count = spec.at("count"), width = spec.at("width");
  std::vector<std::byte> bytes(count * width);
  for (std::size_t i = 0; i < count; ++i) {
    const uint64_t value = formula.element(i);
    std::memcpy(bytes.data() + i * width, &value, width);
  }
  return bytes;
}

} // namespace fa4::hardware
