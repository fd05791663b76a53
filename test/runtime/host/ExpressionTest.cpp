#include "runtime/Expression.h"
#include "ExpectError.h"

#include <map>

namespace fa4 {
namespace {

/// n = 300, zero = 0, scale = 0.5; tensor t has 60 elements, strides 20, 1.
struct TestBindings : Bindings {
  std::optional<Number> valueOf(std::string_view name) const override {
    std::map<std::string_view, Number> values = {
        {"n", int64_t(300)}, {"zero", int64_t(0)}, {"scale", 0.5}};
    auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<int64_t> strideOf(std::string_view tensor,
                                  int64_t dim) const override {
    if (tensor != "t" || dim > 1)
      return std::nullopt;
    return dim == 0 ? 20 : 1;
  }
  std::optional<int64_t> elementsOf(std::string_view tensor) const override {
    return tensor == "t" ? std::optional<int64_t>(60) : std::nullopt;
  }
};

int64_t integer(std::string_view text) {
  return Expression::parse(text).evaluateInteger(TestBindings());
}

double real(std::string_view text) {
  return realValue(Expression::parse(text).evaluate(TestBindings()));
}

std::string message(std::string_view text) {
  return errorOf(
      [&] { Expression::parse(text).evaluateInteger(TestBindings()); });
}

TEST(Expression, Integers) {
  EXPECT_EQ(integer("1 + 2 * 3"), 7);
  EXPECT_EQ(integer("(1+2)*3 - 4 - 5"), 0);
  EXPECT_EQ(integer("7 / 2"), 3);
  EXPECT_EQ(integer("-7 / 2"), -4);
  EXPECT_EQ(integer("-(3 - 5)"), 2);
  EXPECT_EQ(integer("ceildiv(n, 256) * 2"), 4);
  EXPECT_EQ(integer("ceildiv(zero, 256)"), 0);
  EXPECT_EQ(integer("min(n, 5) + max(1, 2)"), 7);
  EXPECT_EQ(integer("stride(t, 0) + elements( t )"), 80);
}

TEST(Expression, Reals) {
  EXPECT_EQ(real("scale * 1.4426950408889634"), 0.5 * 1.4426950408889634);
  EXPECT_EQ(real("1 / scale"), 2);
  EXPECT_EQ(real("2.5e-1"), 0.25);
  EXPECT_EQ(real("min(scale, 3)"), 0.5);
}

TEST(Expression, PlainNames) {
  EXPECT_EQ(Expression::parse(" batch ").plainName(), "batch");
  EXPECT_FALSE(Expression::parse("batch + 0").plainName());
  EXPECT_FALSE(Expression::parse("128").plainName());
}

TEST(Expression, SyntaxErrorsHaveAColumn) {
  EXPECT_EQ(message("n +"),
            "expression 'n +', column 4: expected a number, a name or '('");
  EXPECT_EQ(message("(n"), "expression '(n', column 3: expected ')'");
  EXPECT_EQ(message("n n"), "expression 'n n', column 3: unexpected character");
  EXPECT_EQ(message("mod(n, 2)"),
            "expression 'mod(n, 2)', column 5: unknown function 'mod'");
  EXPECT_EQ(message("stride(t, n)"),
            "expression 'stride(t, n)', column 11: expected a dim number");
  EXPECT_EQ(message(""),
            "expression '', column 1: expected a number, a name or '('");
  EXPECT_THAT(message(std::string(1000, '(')),
              testing::EndsWith("nested too deeply"));
  EXPECT_THAT(message(std::string(1000, '-')),
              testing::EndsWith("nested too deeply"));
}

TEST(Expression, LengthIsLimited) {
  std::string text = "1";
  for (int i = 0; i < 100000; ++i)
    text += "+1";
  EXPECT_EQ(message(text), "an expression has 200001 characters, at most 4096 "
                           "are possible");
}

TEST(Expression, EvaluationErrors) {
  EXPECT_EQ(message("m + 1"), "expression 'm + 1': unknown name 'm'");
  EXPECT_EQ(message("stride(t, 2)"),
            "expression 'stride(t, 2)': unknown stride of 't'");
  EXPECT_EQ(message("elements(u)"),
            "expression 'elements(u)': unknown tensor 'u'");
  EXPECT_EQ(message("n / zero"), "expression 'n / zero': division by zero");
  EXPECT_EQ(message("n * 4611686018427387904"),
            "expression 'n * 4611686018427387904': overflow");
  EXPECT_EQ(message("scale * 3"),
            "expression 'scale * 3': 1.5 is not an integer");
}

} // namespace
} // namespace fa4
