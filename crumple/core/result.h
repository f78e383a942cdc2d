#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace crumple {

/// What went wrong, where, and what to do about it, as one line for a person.
struct Error {
  enum class Kind {
    Input,   ///< what the user gave us is wrong: exit code 2
    System,  ///< ours or the disk's fault: exit code 1
  };
  Kind kind = Kind::Input;
  std::string text;
};

inline Error input_error(std::string text) {
  return {Error::Kind::Input, std::move(text)};
}
inline Error system_error(std::string text) {
  return {Error::Kind::System, std::move(text)};
}

/// A value or the reason there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::move(error)) {}     // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return content_.index() == 0; }
  T& value() & { return assert_value(), std::get<0>(content_); }
  const T& value() const& { return assert_value(), std::get<0>(content_); }
  T&& value() && { return assert_value(), std::get<0>(std::move(content_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(content_); }

 private:
  void assert_value() const { assert(content_.index() == 0); }
  std::variant<T, Error> content_;
};

/// Success, or the reason for failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return !failed_; }
  const Error& error() const { return error_; }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace crumple
