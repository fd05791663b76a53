#include "codegen/Ptxas.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

namespace tile {
namespace {

/// An empty temporary file that goes with its scope.
class ScratchFile {
public:
  explicit ScratchFile(llvm::StringRef suffix) {
    failed = llvm::sys::fs::createTemporaryFile("fa4-gen", suffix, file);
  }
  ScratchFile(const ScratchFile &) = delete;
  ~ScratchFile() {
    if (!failed)
      llvm::sys::fs::remove(file);
  }
  std::error_code error() const { return failed; }
  llvm::StringRef path() const { return file; }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

private:
  llvm::SmallString<128> file;
  std::error_code failed;
};

/// Runs `arguments`; returns its exit status with both outputs in `output`.
int runCaptured(llvm::ArrayRef<llvm::StringRef> arguments,
                const ScratchFile &output) {
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef("/dev/null"),
                                                output.path(), output.path()};
  return llvm::sys::ExecuteAndWait(arguments.front(), arguments, std::nullopt,
                                   redirects);
}

int numberBefore(llvm::StringRef text, llvm::StringRef unit) {
  llvm::SmallVector<llvm::StringRef> match;
  int number = 0;
  if (llvm::Regex("([0-9]+) " + unit.str()).match(text, &match))
    llvm::to_integer(match[1], number);
  return number;
}

/// True for the lines of the report itself, which are not messages.
bool isReportLine(llvm::StringRef line) {
  return line.empty() || line.contains("bytes gmem") ||
         line.contains("Compiling entry function") ||
         line.contains("Function properties for") ||
         line.contains("bytes stack frame") || line.contains("registers") ||
         line.contains("Compile time");
}

} // namespace

std::optional<std::string> findPtxas() {
  if (auto chosen = llvm::sys::Process::GetEnv("FA4_PTXAS"))
    return llvm::sys::fs::can_execute(*chosen) ? chosen : std::nullopt;
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  llvm::SmallVector<std::string> folders;
  if (auto home = llvm::sys::Process::GetEnv("CUDA_HOME"))
    folders.push_back(*home + "/bin");
  folders.push_back("/usr/local/cuda/bin");
  for (const std::string &folder : folders)
    if (auto found = llvm::sys::findProgramByName("ptxas", {folder}))
      return *found;
  return std::nullopt;
}

std::string ptxasVersion(const std::string &ptxas) {
  ScratchFile output("txt");
  if (output.error() || runCaptured({ptxas, "--version"}, output) != 0)
    return "";
  std::string text = output.read();
  llvm::SmallVector<llvm::StringRef> match;
  if (!llvm::Regex("V([0-9.]+)").match(text, &match))
    return "";
  return match[1].str();
}

PtxasReport parsePtxasReport(llvm::StringRef text) {
  PtxasReport report;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    line = line.trim();
    if (line.contains("bytes stack frame")) {
      report.stack = numberBefore(line, "bytes stack frame");
      report.spillStores = numberBefore(line, "bytes spill stores");
      report.spillLoads = numberBefore(line, "bytes spill loads");
    } else if (line.contains("Used ") && line.contains(" registers")) {
      report.registers = numberBefore(line, "registers");
      report.barriers = numberBefore(line, "barriers");
      report.staticShared = numberBefore(line, "bytes smem");
    } else if (!isReportLine(line)) {
      report.messages.push_back(line.str());
    }
  }
  return report;
}

llvm::Expected<Assembly> assemble(const std::string &ptxas, Arch arch,
                                  llvm::StringRef ptx) {
  ScratchFile input("ptx"), cubin("cubin"), output("txt");
  for (const ScratchFile *file : {&input, &cubin, &output})
    if (file->error())
      return llvm::createStringError("can't make a temporary file: " +
                                     file->error().message());
  std::error_code code;
  llvm::raw_fd_ostream(input.path(), code) << ptx;
  if (code)
    return llvm::createStringError("can't write '" + input.path() +
                                   "': " + code.message());
  std::string archFlag = "-arch=" + std::string(name(arch));
  int status = runCaptured(
      {ptxas, archFlag, "-O3", "-v", input.path(), "-o", cubin.path()}, output);
  std::string text = output.read();
  if (status != 0)
    return llvm::createStringError("ptxas rejects the kernel: " +
                                   llvm::StringRef(text).trim());
  Assembly result{cubin.read(), parsePtxasReport(text)};
  if (!result.report.messages.empty())
    return llvm::createStringError("ptxas has objections: " +
                                   llvm::join(result.report.messages, "; "));
  return result;
}

} // namespace tile
