// Matches the text of an fa4::Error.
#pragma once
#include "runtime/Error.h"
#include <gtest/gtest.h>
#include <string>

namespace fa4::emulator {

template <typename Action>
void expectError(Action &&action, const std::string &part) {
  try {
    action();
    FAIL() << "no error, expected one with: " << part;
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
        << "message: " << error.what() << "\nexpected part: " << part;
  }
}

} // namespace fa4::emulator
