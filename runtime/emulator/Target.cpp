#include "runtime/emulator/Target.h"

#include <unordered_map>

namespace fa4::emulator {

PtxVersion firstVersionOf(std::string_view target) {
  static const std::unordered_map<std::string_view, PtxVersion> table = {
      {"sm_50", {4, 0}},   {"sm_52", {4, 1}},  {"sm_53", {4, 2}},
      {"sm_60", {5, 0}},   {"sm_61", {5, 0}},  {"sm_62", {5, 0}},
      {"sm_70", {6, 0}},   {"sm_72", {6, 1}},  {"sm_75", {6, 3}},
      {"sm_80", {7, 0}},   {"sm_86", {7, 1}},  {"sm_87", {7, 4}},
      {"sm_88", {9, 0}},   {"sm_89", {7, 8}},  {"sm_90", {7, 8}},
      {"sm_90a", {8, 0}},  {"sm_100", {8, 6}}, {"sm_100a", {8, 6}},
      {"sm_100f", {8, 8}}, {"sm_103", {8, 8}}, {"sm_103a", {8, 8}},
      {"sm_103f", {8, 8}}, {"sm_110", {9, 0}}, {"sm_110a", {9, 0}},
      {"sm_110f", {9, 0}}, {"sm_120", {8, 7}}, {"sm_120a", {8, 7}},
      {"sm_120f", {8, 8}}, {"sm_121", {8, 8}}, {"sm_121a", {8, 8}},
      {"sm_121f", {8, 8}}};
  auto found = table.find(target);
  return found == table.end() ? PtxVersion{} : found->second;
}

} // namespace fa4::emulator
