// Matches the text of an fa4::Error.
#ifndef FA4_TEST_RUNTIME_HOST_EXPECTERROR_H
#define FA4_TEST_RUNTIME_HOST_EXPECTERROR_H

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

#endif // FA4_TEST_RUNTIME_HOST_EXPECTERROR_H
