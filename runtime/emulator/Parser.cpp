#include "runtime/emulator/Parser.h"

#include "runtime/Error.h"
#include "runtime/emulator/BodyParser.h"
#include "runtime/emulator/Target.h"

namespace fa4::emulator {

namespace {

class ModuleParser {
public:
  ModuleParser(std::string_view text, const std::string &file)
      : in(text, file) {
    module.file = file;
  }

  /// A module starts with its version and target.
  ast::Module run() {
    in.expect(".version");
    version();
    in.expect(".target");
    target();
    while (!in.atEnd())
      item();
    return std::move(module);
  }

private:
  void item() {
    std::string_view word = in.expectWord("a directive");
    if (word == ".address_size") {
      if (in.expectUnsigned("an address size", 64) != 64)
        in.fail("only 64-bit addresses are supported");
      return;
    }
    if (word == ".visible" || word == ".extern" || word == ".weak" ||
        word == ".common")
      return;
    if (word == ".entry")
      return entry();
    if (word == ".func")
      return skipFunction();
    if (word == ".shared" || word == ".global" || word == ".const")
      return variables(word);
    if (word == ".file")
      return file();
    if (word == ".section") {
      in.expectWord("a section name");
      in.expect("{");
      return in.skipBlock();
    }
    if (word == ".pragma" || word == ".alias") {
      while (!in.accept(";"))
        in.take();
      return;
    }
    in.fail(fmt::format("unsupported directive '{}'", word));
  }

  void version() {
    const uint32_t line = in.peek().line;
    std::string_view text = in.take().text;
    size_t dot = text.find('.');
    Number major{}, minor{};
    if (dot == std::string_view::npos ||
        !parseNumber(text.substr(0, dot), major) ||
        !parseNumber(text.substr(dot + 1), minor))
      in.failAt(line, fmt::format("malformed version '{}'", text));
    if (major.bits > newestMajor)
      in.failAt(line, fmt::format("unsupported version '{}', at most {}.x is",
                                  text, newestMajor));
    ptx = {static_cast<uint32_t>(major.bits),
           static_cast<uint32_t>(minor.bits)};
  }

  void target() {
    const uint32_t line = in.peek().line;
    module.target = in.expectWord("a target");
    const PtxVersion first = firstVersionOf(module.target);
    if (first.major == 0)
      in.failAt(line, fmt::format("unknown target '{}'", module.target));
    if (ptx < first)
      in.failAt(line, fmt::format("target '{}' needs version {}.{} or later",
                                  module.target, first.major, first.minor));
    while (in.accept(","))
      in.expectWord("a target option");
  }

  void variables(std::string_view word) {
    ast::Space space = word == ".shared"   ? ast::Space::Shared
                       : word == ".global" ? ast::Space::Global
                                           : ast::Space::Const;
    for (ast::Variable &variable : parseVariables(in, space)) {
      if (!names.insert(variable.name).second)
        in.fail(fmt::format("'{}' is declared twice", variable.name));
      module.variables.push_back(std::move(variable));
    }
  }

  void file() {
    uint32_t number = in.expectUnsigned("a file number", 1 << 16);
    if (in.peek().kind != TokenKind::String)
      in.fail("expected a file name");
    if (module.sourceFiles.size() <= number)
      module.sourceFiles.resize(number + 1);
    module.sourceFiles[number] = std::string(in.take().text);
    while (in.accept(","))
      in.expectInteger("a time stamp or size");
  }

  /// Calls are not supported; a module may still declare functions.
  void skipFunction() {
    while (!in.peek().is("{") && !in.peek().is(";"))
      names.insert(std::string(in.take().text));
    if (in.take().is("{"))
      in.skipBlock();
  }

  void entry() {
    ast::Function function;
    function.line = in.peek().line;
    function.info.name = in.expectWord("an entry name");
    function.info.block = function.info.cluster = {0, 0, 0};
    if (in.accept("("))
      parameters(function);
    while (!in.accept("{")) {
      if (in.accept(";"))
        return; // a declaration
      performanceDirective(function);
    }
    BodyParser(in, names, function).run();
    module.functions.push_back(std::move(function));
  }

  void parameters(ast::Function &function) {
    if (in.accept(")"))
      return;
    do {
      in.expect(".param");
      parameter(function);
    } while (in.accept(","));
    in.expect(")");
  }

  void parameter(ast::Function &function) {
    uint32_t alignment = 0, size = 0;
    std::string_view word = in.expectWord("a parameter type");
    bool pointer = false;
    for (; word[0] == '.'; word = in.expectWord("a parameter name")) {
      if (word == ".align") {
        uint32_t value = in.expectUnsigned("an alignment", 1 << 20);
        alignment = pointer ? alignment : value;
      } else if (word == ".ptr") {
        pointer = true;
      } else if (typeBytes(word) != 0) {
        size = typeBytes(word);
      } else if (!pointer) {
        in.fail(fmt::format("unknown parameter type '{}'", word));
      }
    }
    if (in.accept("[")) {
      size *= in.expectUnsigned("a parameter size", 32764);
      in.expect("]");
    }
    if (size == 0)
      in.fail(fmt::format("parameter '{}' has no size", word));
    alignment = alignment ? alignment : size;
    if ((alignment & (alignment - 1)) != 0)
      in.fail(fmt::format("alignment {} is no power of two", alignment));
    function.info.parameters.push_back({std::string(word), size, alignment});
  }

  void performanceDirective(ast::Function &function) {
    std::string_view word = in.expectWord("a directive or '{'");
    if (word == ".maxntid")
      dimensions();
    else if (word == ".reqntid")
      function.info.block = dimensions();
    else if (word == ".reqnctapercluster")
      function.info.cluster = dimensions();
    else if (word == ".explicitcluster" || word == ".blocksareclusters")
      function.explicitCluster = true;
    else if (word == ".minnctapersm")
      function.minCtas = in.expectUnsigned("a count", 64);
    else if (word == ".maxnreg")
      function.maxRegisters = in.expectUnsigned("a count", 1024);
    else if (word == ".maxclusterrank" || word == ".maxnctapersm")
      in.expectUnsigned("a count", 1024);
    else if (word == ".pragma")
      while (!in.accept(";"))
        in.take();
    else
      in.fail(fmt::format("unsupported directive '{}'", word));
  }

  Dim3 dimensions() {
    uint32_t values[3] = {1, 1, 1};
    for (int i = 0; i < 3; ++i) {
      values[i] = in.expectUnsigned("a dimension", UINT32_MAX);
      if (!in.accept(","))
        break;
    }
    return {values[0], values[1], values[2]};
  }

  TokenStream in;
  ast::Module module;
  PtxVersion ptx;
  std::set<std::string, std::less<>> names;
};

} // namespace

ast::Module parsePtx(std::string_view text, const std::string &file) {
  return ModuleParser(text, file).run();
}

} // namespace fa4::emulator
