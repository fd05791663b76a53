// IR edited by hand, or given to a pass of another stage, is lowered or refused
// with a message: no pass crashes or hangs. Every attempt runs in a process of
// its own. FA4_EDITS=N tries N edits of each program instead of a few.
#include "codegen/Compile.h"
#include "codegen/Dialects.h"
#include "dsl/record/Recorded.h"
#include "kernels/Kernels.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/Pipelines.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace tile;

namespace {

struct Program {
  std::string name, text;
};

mlir::MLIRContext &context() {
  static mlir::DialectRegistry registry;
  static mlir::MLIRContext *made = [] {
    insertDialects(registry);
    registerTilePasses();
    registerMlirFlags();
    auto *fresh =
        new mlir::MLIRContext(registry, mlir::MLIRContext::Threading::DISABLED);
    fresh->loadAllAvailableDialects();
    fresh->getDiagEngine().registerHandler([](mlir::Diagnostic &) {});
    return fresh;
  }();
  return *made;
}

std::string recorded(const std::string &kernel, Arch arch) {
  for (const KernelDefinition &definition : attentionKernels()) {
    if (definition.name != kernel)
      continue;
    Request request;
    request.arch = arch;
    Kernel made = definition.build(request);
    std::string text;
    llvm::raw_string_ostream(text) << *made.impl().module;
    return text;
  }
  return "";
}

/// Small programs that together have every op of the dialect.
const std::vector<Program> &programs() {
  static const std::vector<Program> all = {
      {"tma_copy", recorded("tma_copy", Arch::sm_100a)},
      {"gemm", recorded("gemm", Arch::sm_100a)},
      {"gemm on sm_90a", recorded("gemm", Arch::sm_90a)},
      {"lesson_attention", recorded("lesson_attention", Arch::sm_100a)},
      {"pair_gemm", recorded("pair_gemm", Arch::sm_100a)},
      {"attn_bwd_preprocess", recorded("attn_bwd_preprocess", Arch::sm_90a)}};
  return all;
}

/// The flags of passes that run on a kernel, in the pipeline's order, then of
/// those that run on the module.
const char *const kernelPasses[] = {
    "tile-verify-protocol",     "tile-count-work",
    "tile-assign-tmem",         "tile-assign-smem",
    "tile-lower-rings",         "tile-lower-copies",
    "tile-lower-mma",           "tile-distribute-fragments",
    "tile-lower-warpgroup-mma", "tile-expand-exp2",
    "tile-verify-lowered"};
const char *const modulePasses[] = {"tile-lower-roles", "tile-promote-vars",
                                    "tile-convert-to-nvvm"};

std::vector<std::string> pipelines() {
  std::vector<std::string> all;
  for (const char *pass : kernelPasses)
    all.push_back("builtin.module(tile.kernel(" + std::string(pass) + "))");
  for (const char *pass : modulePasses)
    all.push_back("builtin.module(" + std::string(pass) + ")");
  return all;
}

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

Module parse(const std::string &text) {
  return mlir::parseSourceString<mlir::ModuleOp>(text, &context());
}

bool run(mlir::ModuleOp module, const std::string &pipeline) {
  auto parsed = mlir::parsePassPipeline(pipeline);
  mlir::PassManager pm(&context());
  static_cast<mlir::OpPassManager &>(pm) = std::move(*parsed);
  return succeeded(pm.run(module));
}

/// What becomes of IR where nothing goes wrong.
enum Fate { lowered, refused, unreadable };
const char *const fates[] = {"lowered", "refused", "unreadable"};

/// One of the fates of an attempt in a process of its own, or how that died.
std::string outcomeOf(llvm::function_ref<Fate()> attempt) {
  constexpr unsigned seconds = 20;
  pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    _exit(attempt());
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) < int(std::size(fates)))
    return fates[WEXITSTATUS(status)];
  return WTERMSIG(status) == SIGALRM
             ? "no end"
             : "signal " + std::to_string(WTERMSIG(status));
}

bool isOrderly(const std::string &outcome) {
  return llvm::is_contained(fates, outcome);
}

/// The program after each pass of the pipeline.
std::vector<std::string> stagesOf(const Program &program) {
  std::vector<std::string> stages{program.text};
  Module module = parse(program.text);
  for (const std::string &pipeline : pipelines()) {
    EXPECT_TRUE(run(*module, pipeline)) << program.name << ": " << pipeline;
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    stages.push_back(text);
  }
  return stages;
}

TEST(HandEdited, EveryPassTakesOrRefusesEveryStage) {
  for (const Program &program : programs()) {
    std::vector<std::string> stages = stagesOf(program);
    for (size_t stage = 0; stage < stages.size(); ++stage) {
      for (const std::string &pipeline : pipelines()) {
        std::string outcome = outcomeOf([&] {
          Module module = parse(stages[stage]);
          return run(*module, pipeline) ? lowered : refused;
        });
        EXPECT_TRUE(isOrderly(outcome))
            << program.name << " after " << stage << " passes, " << pipeline
            << ": " << outcome;
      }
    }
  }
}

/// Edits a program in one place; the same seed gives the same edit. What it
/// leaves need not be valid.
class Editor {
public:
  Editor(mlir::ModuleOp module, unsigned seed) : random(seed) {
    module.walk([&](mlir::Operation *op) {
      if (op != module)
        ops.push_back(op);
      llvm::append_range(values, op->getResults());
      for (mlir::Region &region : op->getRegions())
        for (mlir::Block &block : region)
          llvm::append_range(values, block.getArguments());
    });
  }

  void edit() {
    for (int tries = 0; tries < 100; ++tries) {
      mlir::Operation *op = any(ops);
      switch (random() % 6) {
      case 0:
      case 1:
        if (changeAttribute(op))
          return;
        break;
      case 2:
      case 3:
        if (changeOperand(op))
          return;
        break;
      case 4:
        if (move(op))
          return;
        break;
      default:
        if (remove(op))
          return;
      }
    }
  }

private:
  template <class T> T any(const std::vector<T> &all) {
    return all[random() % all.size()];
  }

  bool changeAttribute(mlir::Operation *op) {
    static const int64_t numbers[] = {
        0, -1, 1, 2, 3, 48, 64, 128, 1000, 1 << 20, INT32_MAX, INT64_MAX};
    // What other dialects keep as integers is often an enumeration.
    llvm::StringRef dialect = op->getName().getDialectNamespace();
    std::vector<mlir::NamedAttribute> attributes(op->getAttrs());
    if (attributes.empty() || (dialect != "tile" && dialect != "arith"))
      return false;
    mlir::NamedAttribute chosen = any(attributes);
    mlir::Builder b(op->getContext());
    if (auto number = dyn_cast<mlir::IntegerAttr>(chosen.getValue())) {
      int64_t value = numbers[random() % std::size(numbers)];
      if (number.getType().isInteger(32))
        value = int32_t(value);
      if (number.getType().isInteger(1))
        value &= 1;
      op->setAttr(chosen.getName(),
                  mlir::IntegerAttr::get(number.getType(), value));
      return true;
    }
    if (isa<mlir::StringAttr>(chosen.getValue())) {
      op->setAttr(chosen.getName(), b.getStringAttr("other"));
      return true;
    }
    op->removeAttr(chosen.getName());
    return true;
  }

  bool changeOperand(mlir::Operation *op) {
    if (op->getNumOperands() == 0)
      return false;
    mlir::OpOperand &operand =
        op->getOpOperand(random() % op->getNumOperands());
    std::vector<mlir::Value> alike;
    for (mlir::Value value : values)
      if (value != operand.get() && value.getType() == operand.get().getType())
        alike.push_back(value);
    if (alike.empty())
      return false;
    operand.set(any(alike));
    return true;
  }

  bool move(mlir::Operation *op) {
    mlir::Operation *to = any(ops);
    bool fixed = op->hasTrait<mlir::OpTrait::IsTerminator>();
    if (fixed || op == to || op->isProperAncestor(to))
      return false;
    op->moveBefore(to);
    return true;
  }

  bool remove(mlir::Operation *op) {
    if (!op->use_empty() || op->hasTrait<mlir::OpTrait::IsTerminator>())
      return false;
    op->erase();
    return true;
  }

  std::mt19937 random;
  std::vector<mlir::Operation *> ops;
  std::vector<mlir::Value> values;
};

/// Leaves out or doubles a word, or puts another one in its place.
std::string withOneWordChanged(llvm::StringRef text, unsigned seed) {
  std::mt19937 random(seed);
  auto inWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  size_t begin = random() % text.size();
  begin = text.find_if(inWord, begin);
  size_t end = text.find_if_not(inWord, begin);
  static const char *const words[] = {"",    "0",    "-1",   "4096", "i32",
                                      "f32", "bf16", "tmem", "rows"};
  std::string result = text.str();
  if (begin != llvm::StringRef::npos && end != llvm::StringRef::npos)
    result.replace(begin, end - begin, words[random() % std::size(words)]);
  return result;
}

unsigned editsOf(unsigned fallback) {
  const char *chosen = std::getenv("FA4_EDITS");
  return chosen ? std::atoi(chosen) : fallback;
}

/// Every second edit is one of the text, the others are of what it says.
Module edited(const std::string &text, unsigned seed) {
  if (seed % 2)
    return parse(withOneWordChanged(text, seed));
  Module module = parse(text);
  Editor(*module, seed).edit();
  return succeeded(mlir::verify(*module)) ? std::move(module) : Module();
}

void lowerEdited(const std::string &name, const std::string &text) {
  std::map<std::string, int> counts;
  for (unsigned seed = 0; seed < editsOf(60); ++seed) {
    std::string outcome = outcomeOf([&] {
      Module module = edited(text, seed);
      if (!module)
        return unreadable;
      return compileModule(*module, {Arch::sm_100a, Output::nvvm, "", name})
                 ? lowered
                 : refused;
    });
    EXPECT_TRUE(isOrderly(outcome))
        << name << ", edit " << seed << ": " << outcome;
    ++counts[outcome];
  }
  // The edits reach what lies behind the parser.
  EXPECT_GT(counts["lowered"], 0) << name;
  if (std::getenv("FA4_EDITS"))
    for (const auto &[outcome, count] : counts)
      llvm::outs() << name << ": " << count << " " << outcome << "\n";
}

TEST(HandEdited, RecordedProgramsAreLoweredOrRefused) {
  for (const Program &program : programs())
    lowerEdited(program.name, program.text);
}

TEST(HandEdited, LoweredProgramsAreTakenUpOrRefused) {
  for (const Program &program : programs()) {
    Module module = parse(program.text);
    ASSERT_TRUE(run(*module, "builtin.module(tile-to-lowered)"));
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    lowerEdited(program.name + ", lowered", text);
  }
}

} // namespace
