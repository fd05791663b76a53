#include "codegen/Bundle.h"
#include "codegen/AtomicFile.h"
#include "codegen/Compile.h"
#include "codegen/Manifest.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <mutex>
#include <thread>

namespace tile {
namespace {

/// One line on stderr that counts finished kernels: overwritten in place on a
/// terminal.
class Progress {
public:
  Progress(size_t total, bool enabled)
      : total(total), enabled(enabled),
        terminal(llvm::sys::Process::StandardErrIsDisplayed()) {}

  void finished(llvm::StringRef name) {
    if (!enabled)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    ++done;
    llvm::errs() << (terminal ? "\r\033[K" : "") << "[" << done << "/" << total
                 << "] " << name << (terminal && done != total ? "" : "\n");
  }

private:
  std::mutex mutex;
  size_t total;
  size_t done = 0;
  bool enabled;
  bool terminal;
};

using Results = std::vector<std::optional<llvm::Expected<Compiled>>>;

/// Compiles every specialization on `options.jobs` threads; stops handing out
/// work after an error.
Results compileAll(llvm::ArrayRef<Specialization> specializations,
                   const BundleOptions &options) {
  Results results(specializations.size());
  Output output = options.ptxas.empty() ? Output::ptx : Output::cubin;
  Progress progress(specializations.size(), options.progress);
  std::atomic<size_t> next = 0;
  std::atomic<bool> failed = false;
  auto work = [&] {
    for (size_t i; !failed && (i = next++) < specializations.size();) {
      results[i].emplace(compile(specializations[i], output, options.ptxas));
      if (!*results[i])
        failed = true;
      progress.finished(specializations[i].name());
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1, jobs = size_t(options.jobs);
       i < std::min(jobs, specializations.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return results;
}

/// The first error in list order; the others are dropped.
llvm::Error firstError(Results &results) {
  llvm::Error first = llvm::Error::success();
  for (auto &result : results) {
    if (!result || *result)
      continue;
    llvm::Error error = result->takeError();
    if (first)
      llvm::consumeError(std::move(error));
    else
      first = std::move(error);
  }
  return first;
}

/// File names that a manifest's text names.
std::vector<std::string> filesNamed(llvm::StringRef manifest) {
  std::vector<std::string> files;
  auto value = llvm::json::parse(manifest);
  if (!value) {
    llvm::consumeError(value.takeError());
    return files;
  }
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Array *kernels =
      object ? object->getArray("kernels") : nullptr;
  if (!kernels)
    return files;
  for (const llvm::json::Value &kernel : *kernels) {
    const llvm::json::Object *entry = kernel.getAsObject();
    for (const char *field : {"ptx", "cubin"})
      if (auto file = entry ? entry->getString(field) : std::nullopt)
        files.push_back(file->str());
  }
  return files;
}

/// Removes what the folder's former manifest names and the new one does not.
void removeStale(const std::string &folder, llvm::StringRef formerManifest,
                 llvm::StringRef manifest) {
  llvm::StringSet<> current;
  for (const std::string &file : filesNamed(manifest))
    current.insert(file);
  for (const std::string &file : filesNamed(formerManifest))
    if (!current.contains(file) && !llvm::StringRef(file).contains('/'))
      llvm::sys::fs::remove(folder + "/" + file);
}

/// One kernel's files, appended to `files`; its manifest entry.
llvm::json::Object addFiles(const Specialization &specialization,
                            Compiled &compiled, const BundleOptions &options,
                            const std::string &version,
                            std::vector<OutputFile> &files) {
  ManifestInput input;
  input.name = specialization.name();
  input.arch = specialization.request.arch;
  input.entry = compiled.entry;
  input.ptxFile = input.name + ".ptx";
  input.ptx = compiled.ptx;
  input.ptxasVersion = version;
  input.key = specialization.key();
  std::string stem = options.folder + "/" + input.name;
  files.push_back({stem + ".ptx", compiled.ptx});
  if (compiled.report) {
    input.cubinFile = input.name + ".cubin";
    input.report = &*compiled.report;
    files.push_back({stem + ".cubin", compiled.content});
  }
  return manifestEntry(std::move(compiled.launch), input);
}

llvm::Error writeAll(llvm::ArrayRef<Specialization> specializations,
                     Results &results, const BundleOptions &options) {
  std::string version =
      options.ptxas.empty() ? "" : ptxasVersion(options.ptxas);
  std::vector<OutputFile> files;
  std::vector<llvm::json::Object> entries;
  for (auto [specialization, result] : llvm::zip(specializations, results))
    entries.push_back(
        addFiles(specialization, **result, options, version, files));
  std::string path = options.folder + "/manifest.json";
  std::string former;
  if (auto buffer = llvm::MemoryBuffer::getFile(path))
    former = (*buffer)->getBuffer().str();
  std::string manifest = manifestText(std::move(entries));
  files.push_back({path, manifest});
  if (llvm::Error error = writeFilesAtomically(files))
    return error;
  removeStale(options.folder, former, manifest);
  return llvm::Error::success();
}

/// Makes a folder and its parents; unless it is kept, those that weren't there
/// go again.
class NewFolder {
public:
  std::error_code make(llvm::StringRef path) {
    for (llvm::StringRef at = path; !at.empty() && !llvm::sys::fs::exists(at);
         at = llvm::sys::path::parent_path(at))
      made.push_back(at.str());
    return llvm::sys::fs::create_directories(path);
  }
  void keep() { made.clear(); }
  ~NewFolder() {
    for (const std::string &folder : made)
      llvm::sys::fs::remove(folder);
  }

private:
  std::vector<std::string> made; // innermost first
};

llvm::Error rejectDuplicates(llvm::ArrayRef<Specialization> specializations) {
  llvm::StringSet<> names;
  for (const Specialization &specialization : specializations)
    if (!names.insert(specialization.name()).second)
      return llvm::createStringError("'" + specialization.name() +
                                     "' is in the bundle twice");
  return llvm::Error::success();
}

} // namespace

llvm::Error writeBundle(llvm::ArrayRef<Specialization> specializations,
                        const BundleOptions &options) {
  if (llvm::Error error = rejectDuplicates(specializations))
    return error;
  // Before the work, so that a folder that can't be made costs no wait.
  NewFolder folder;
  if (std::error_code code = folder.make(options.folder))
    return llvm::createStringError("can't make the folder '" + options.folder +
                                   "': " + code.message());
  Results results = compileAll(specializations, options);
  if (llvm::Error error = firstError(results))
    return error;
  if (llvm::Error error = writeAll(specializations, results, options))
    return error;
  folder.keep();
  return llvm::Error::success();
}

} // namespace tile
