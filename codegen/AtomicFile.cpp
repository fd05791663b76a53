#include "codegen/AtomicFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace tile {
namespace {

llvm::Error cannotWrite(llvm::StringRef path, std::error_code code) {
  return llvm::createStringError("can't write '" + path +
                                 "': " + code.message());
}

llvm::Error writeStandardOutput(llvm::StringRef content) {
  llvm::outs() << content;
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return llvm::Error::success();
  std::error_code code = llvm::outs().error();
  llvm::outs().clear_error();
  return cannotWrite("-", code);
}

} // namespace

llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef content) {
  if (path == "-")
    return writeStandardOutput(content);
  if (llvm::sys::fs::is_directory(path))
    return cannotWrite(path, std::make_error_code(std::errc::is_a_directory));
  // A device such as /dev/null can't be replaced by a renamed file.
  if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path)) {
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << content;
    return code ? cannotWrite(path, code) : llvm::Error::success();
  }
  auto temporary = llvm::sys::fs::TempFile::create(
      path + ".%%%%%%%%", llvm::sys::fs::all_read | llvm::sys::fs::owner_write);
  if (!temporary)
    return cannotWrite(path, llvm::errorToErrorCode(temporary.takeError()));
  llvm::raw_fd_ostream out(temporary->FD, /*shouldClose=*/false);
  out << content;
  out.flush();
  if (out.has_error()) {
    std::error_code code = out.error();
    out.clear_error();
    llvm::consumeError(temporary->discard());
    return cannotWrite(path, code);
  }
  if (llvm::Error error = temporary->keep(path)) {
    llvm::consumeError(temporary->discard());
    return cannotWrite(path, llvm::errorToErrorCode(std::move(error)));
  }
  return llvm::Error::success();
}

} // namespace tile
