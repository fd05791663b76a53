// PTX text to a module with resolved registers and labels.
#pragma once

#include "runtime/emulator/Ast.h"

namespace fa4::emulator {

/// `text` must outlive the result. Accepts the spellings of LLVM, nvcc and
/// Triton; device functions are skipped. Throws fa4::Error "file:line: what".
ast::Module parsePtx(std::string_view text, const std::string &file);

} // namespace fa4::emulator
