// Matches the text of an fa4::Error.
#pragma once

#include "runtime/Error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fa4 {

/// The text of the fa4::Error that `action` throws, or "no error".
template <typename Action> std::string errorOf(Action &&action) {
  try {
    action();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

} // namespace fa4
