// Operands against the type that an instruction states.
#pragma once

namespace fa4::emulator {

class Decoding;

/// Throws fa4::Error for a register whose width isn't that of the instruction's
/// type where PTX demands it (PTX ISA, section "Type Checking of Operands"):
/// ptxas takes no such module.
void checkOperandTypes(const Decoding &decoding);

} // namespace fa4::emulator
