#include "runtime/emulator/BodyParser.h"

#include "runtime/Error.h"

namespace fa4::emulator {

namespace {

constexpr uint32_t registerLimit = 1 << 18;

} // namespace

void BodyParser::run() {
  for (const ParameterInfo &parameter : function.info.parameters)
    scopes.declareVariable(parameter.name);
  for (;;) {
    if (in.peek().is("}") && scopes.outermost())
      break;
    item();
  }
  in.expect("}");
  resolveLabels();
}

void BodyParser::item() {
  const Token &token = in.peek();
  if (in.accept("{"))
    return scopes.open();
  if (in.accept("}"))
    return scopes.close();
  if (in.accept(";"))
    return;
  if (token.kind == TokenKind::Word && token.text[0] == '.')
    return directive();
  if (token.kind == TokenKind::Word && in.peek(1).is(":")) {
    std::string_view name = in.take().text;
    in.take();
    if (!scopes.declareLabel(name, function.statements.size()))
      in.fail(fmt::format("label '{}' is defined twice", name));
    return;
  }
  statement();
}

void BodyParser::directive() {
  std::string_view name = in.take().text;
  if (name == ".reg")
    return registers();
  if (name == ".shared")
    return variables(ast::Space::Shared);
  if (name == ".local")
    return variables(ast::Space::Local);
  if (name == ".loc")
    return location();
  if (name == ".pragma") {
    while (!in.accept(";"))
      in.take();
    return;
  }
  in.fail(fmt::format("unsupported directive '{}'", name));
}

void BodyParser::registers() {
  std::string_view type = in.expectWord("a register type");
  uint32_t bits = type == ".pred" ? 1 : 8 * typeBytes(type);
  if (bits == 0)
    in.fail(fmt::format("unknown register type '{}'", type));
  do {
    std::string_view name = in.expectWord("a register name");
    uint32_t index = function.registers.size(), count = 1;
    bool fresh;
    if (in.accept("<")) {
      count = in.expectUnsigned("a register count", registerLimit);
      in.expect(">");
      fresh = scopes.declareRegisters(name, count, index);
    } else {
      fresh = scopes.declareRegister(name, index);
    }
    if (!fresh)
      in.fail(fmt::format("register '{}' is declared twice", name));
    if (index + count > registerLimit)
      in.fail(fmt::format("more than {} registers", registerLimit));
    function.registers.resize(index + count, {bits});
  } while (in.accept(","));
  in.expect(";");
}

void BodyParser::variables(ast::Space space) {
  for (ast::Variable &variable : parseVariables(in, space)) {
    if (!scopes.declareVariable(variable.name))
      in.fail(fmt::format("'{}' is declared twice", variable.name));
    function.variables.push_back(std::move(variable));
  }
}

void BodyParser::location() {
  sourceFile = in.expectUnsigned("a file number", 1 << 20);
  sourceLine = in.expectUnsigned("a line number", UINT32_MAX);
  in.expectUnsigned("a column number", UINT32_MAX);
  // ", function_name label[+n], inlined_at file line column"
  while (in.accept(",")) {
    in.expectWord("a .loc attribute");
    while (!in.peek().is(",") &&
           (in.peek().kind == TokenKind::Number || in.peek().is("+") ||
            in.peek().text.starts_with("$L")))
      in.take();
    if (in.peek().kind == TokenKind::Word && in.peek(1).is(","))
      in.take();
  }
}

void BodyParser::statement() {
  ast::Statement result;
  result.line = in.peek().line;
  result.sourceFile = sourceFile;
  result.sourceLine = sourceLine;
  if (in.accept("@")) {
    result.guardNegated = in.accept("!");
    std::string_view name = in.expectWord("a guard predicate");
    auto index = scopes.findRegister(name);
    if (!index || function.registers[*index].bits != 1)
      in.fail(fmt::format("'{}' is no predicate register", name));
    result.guard = static_cast<int32_t>(*index);
  }
  result.opcode = in.expectWord("an instruction");
  size_t number = function.statements.size();
  while (!in.accept(";")) {
    if (!result.operands.empty() && !in.accept(","))
      in.fail(fmt::format("expected ',' or ';' before '{}'", in.peek().text));
    ast::Operand value = operand();
    if (value.kind == ast::OperandKind::Label)
      fixups.push_back(
          {number, result.operands.size(), scopes.currentScope(), result.line});
    result.operands.push_back(std::move(value));
    if (result.operands.size() > 64)
      in.fail("more than 64 operands");
  }
  function.statements.push_back(std::move(result));
}

void BodyParser::resolveLabels() {
  for (const Fixup &fixup : fixups) {
    ast::Operand &label =
        function.statements[fixup.statement].operands[fixup.operand];
    auto target = scopes.findLabel(label.name, fixup.scope);
    if (!target)
      in.failAt(fixup.line, fmt::format("unknown name '{}'", label.name));
    label.index = *target;
  }
}

int64_t BodyParser::addend() {
  int64_t sum = 0;
  while (in.peek().is("+") || in.peek().is("-")) {
    bool negative = in.take().is("-");
    int64_t value = in.expectInteger("an offset");
    sum = static_cast<int64_t>(negative ? uint64_t(sum) - uint64_t(value)
                                        : uint64_t(sum) + uint64_t(value));
  }
  return sum;
}

ast::Operand BodyParser::operand() {
  const Token &token = in.peek();
  if (in.accept("{"))
    return listOperand("}", ast::OperandKind::Vector);
  if (in.accept("("))
    return listOperand(")", ast::OperandKind::Vector);
  if (in.accept("["))
    return addressOperand();
  if (token.kind == TokenKind::Number || token.is("-"))
    return numberOperand();
  if (in.accept("!")) {
    ast::Operand value = nameOperand();
    value.negated = true;
    return value;
  }
  if (token.kind == TokenKind::Word)
    return nameOperand();
  in.fail(fmt::format("expected an operand before '{}'", token.text));
}

ast::Operand BodyParser::nameOperand() {
  ast::Operand result;
  std::string_view name = in.expectWord("a name");
  result.name = name;
  if (name == "_") {
    pairOperand(result);
    return result;
  }
  // "%r1.x" can't be told from a special register, which has no scope entry.
  if (auto index = scopes.findRegister(name)) {
    result.kind = ast::OperandKind::Register;
    result.index = *index;
    pairOperand(result);
  } else if (name[0] == '%') {
    result.kind = ast::OperandKind::Special;
  } else if (scopes.findVariable(name) || moduleNames.count(name)) {
    result.kind = ast::OperandKind::Symbol;
  } else {
    result.kind = ast::OperandKind::Label;
    return result;
  }
  result.addend = addend();
  return result;
}

void BodyParser::pairOperand(ast::Operand &operand) {
  if (!in.accept("|"))
    return;
  std::string_view name = in.expectWord("a register");
  if (name == "_") {
    operand.pairSink = true;
    return;
  }
  auto index = scopes.findRegister(name);
  if (!index)
    in.fail(fmt::format("'{}' is no register", name));
  operand.pair = static_cast<int32_t>(*index);
}

ast::Operand BodyParser::numberOperand() {
  ast::Operand result;
  bool negative = in.accept("-");
  Number number{};
  if (in.peek().kind != TokenKind::Number ||
      !parseNumber(in.peek().text, number))
    in.fail(fmt::format("malformed number '{}'", in.peek().text));
  in.take();
  result.bits = number.bits;
  result.kind = number.kind == Number::Integer   ? ast::OperandKind::Immediate
                : number.kind == Number::Float32 ? ast::OperandKind::Float32
                                                 : ast::OperandKind::Float64;
  if (!negative)
    return result;
  if (number.kind == Number::Integer)
    result.bits = 0 - number.bits;
  else
    result.bits ^=
        number.kind == Number::Float32 ? uint64_t(1) << 31 : uint64_t(1) << 63;
  return result;
}

ast::Operand BodyParser::addressOperand() {
  ast::Operand result = listOperand("]", ast::OperandKind::Address);
  if (result.elements.empty())
    in.fail("empty address");
  return result;
}

ast::Operand BodyParser::listOperand(std::string_view close,
                                     ast::OperandKind kind) {
  if (++nesting > 3)
    in.fail("operand lists are nested too deep");
  ast::Operand result;
  result.kind = kind;
  while (!in.accept(close)) {
    if (!result.elements.empty())
      in.expect(",");
    ast::Operand element = operand();
    if (element.kind == ast::OperandKind::Label)
      in.fail(fmt::format("unknown name '{}'", element.name));
    // "[ 64+16 ]"
    if (element.kind == ast::OperandKind::Immediate)
      element.bits += static_cast<uint64_t>(addend());
    result.elements.push_back(std::move(element));
    if (result.elements.size() > 512)
      in.fail("more than 512 elements in an operand");
  }
  --nesting;
  return result;
}

} // namespace fa4::emulator
