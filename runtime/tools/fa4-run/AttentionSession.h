// The device side of an attention run: kernels by op, tensors by name.
#pragma once
#include "runtime/Launcher.h"
#include "runtime/tools/fa4-run/GuardedTensor.h"
#include "runtime/tools/fa4-run/RunOptions.h"

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fa4 {

/// What one launch was and did.
struct KernelRun {
  std::string kernel, device;
  std::array<uint32_t, 3> grid{};
  double seconds = 0;
  std::string statistics; // of the emulator, when asked for

  std::string text() const;
};

class AttentionSession {
public:
  explicit AttentionSession(const RunOptions &options);

  /// A tensor of the run's inputs or outputs.
  void addInput(const std::string &name, ElementType type,
                std::vector<int64_t> dims, std::span<const float> values);
  void addOutput(const std::string &name, ElementType type,
                 std::vector<int64_t> dims);

  /// Launches the kernel of `op` for the options' key and waits for it. Tensors
  /// that it has and the session lacks are allocated and kept for later
  /// kernels.
  KernelRun run(const std::string &op);

  /// A kernel bound to the session's tensors.
  std::unique_ptr<Plan> prepare(const std::string &op);

  bool has(const std::string &op, const std::string &tensor) const;
  std::vector<float> load(const std::string &name);
  /// Throws fa4::Error for the first tensor that is damaged around or in its
  /// input elements.
  void checkDamage();

  Device &device() { return *machine; }

private:
  Selection selectionOf(const std::string &op) const;
  bool concerns(const std::string &key, const std::string &op) const;
  LaunchArguments argumentsOf(const KernelEntry &kernel);
  uint64_t guardBytes() const;

  const RunOptions &options;
  std::unique_ptr<Device> machine;
  Bundle bundle;
  Launcher launcher;
  std::map<std::string, std::unique_ptr<GuardedTensor>> tensors;
};

} // namespace fa4
