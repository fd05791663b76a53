#include "codegen/AtomicFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace tile {
namespace {

namespace fs = llvm::sys::fs;

llvm::Error cannotWrite(llvm::StringRef path, std::error_code code) {
  return llvm::createStringError("can't write '" + path +
                                 "': " + code.message());
}

/// Writes and closes; the stream's error, if any.
std::error_code writeAll(llvm::raw_fd_ostream &out, llvm::StringRef content) {
  out << content;
  out.flush();
  std::error_code code = out.error();
  out.clear_error();
  return code;
}

/// A file under a temporary name, which goes with it unless it is kept.
class Staged {
public:
  Staged() = default;
  Staged(Staged &&other) noexcept
      : temporary(std::exchange(other.temporary, {})),
        path(std::move(other.path)) {}
  Staged(const Staged &) = delete;
  ~Staged() {
    if (temporary.empty())
      return;
    fs::remove(temporary);
    llvm::sys::DontRemoveFileOnSignal(temporary);
  }

  std::error_code write(const OutputFile &file) {
    path = file.path;
    if (fs::is_directory(path))
      return std::make_error_code(std::errc::is_a_directory);
    int descriptor = -1;
    llvm::SmallString<128> unique;
    if (std::error_code code =
            fs::createUniqueFile(path + ".%%%%%%%%", descriptor, unique))
      return code;
    temporary = unique.str().str();
    llvm::sys::RemoveFileOnSignal(temporary);
    llvm::raw_fd_ostream out(descriptor, /*shouldClose=*/true);
    return writeAll(out, file.content);
  }

  std::error_code keep() {
    if (std::error_code code = fs::rename(temporary, path))
      return code;
    llvm::sys::DontRemoveFileOnSignal(temporary);
    temporary.clear();
    return {};
  }

private:
  std::string temporary, path;
};

/// Standard output, or a device such as /dev/null, which a renamed file can't
/// replace.
bool isStream(const OutputFile &file) {
  return file.path == "-" ||
         (fs::exists(file.path) && !fs::is_regular_file(file.path) &&
          !fs::is_directory(file.path));
}

std::error_code writeStream(const OutputFile &file) {
  if (file.path == "-")
    return writeAll(llvm::outs(), file.content);
  std::error_code code;
  llvm::raw_fd_ostream out(file.path, code);
  return code ? code : writeAll(out, file.content);
}

} // namespace

llvm::Error writeFilesAtomically(llvm::ArrayRef<OutputFile> files) {
  std::vector<std::pair<const OutputFile *, Staged>> staged;
  for (const OutputFile &file : files) {
    if (isStream(file))
      continue;
    staged.emplace_back(&file, Staged());
    if (std::error_code code = staged.back().second.write(file))
      return cannotWrite(file.path, code);
  }
  for (const OutputFile &file : files)
    if (isStream(file))
      if (std::error_code code = writeStream(file))
        return cannotWrite(file.path, code);
  for (auto &[file, temporary] : staged)
    if (std::error_code code = temporary.keep())
      return cannotWrite(file->path, code);
  return llvm::Error::success();
}

llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef content) {
  return writeFilesAtomically(OutputFile{path.str(), content});
}

} // namespace tile
