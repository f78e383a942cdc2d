#include "crumple/core/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace crumple {
namespace {

constexpr int kMaximumDepth = 200;
constexpr size_t kMaxValues = 2'000'000;  // each takes a hundred bytes of memory, and as little as two of text

std::string unexpected(char c) {
  if (c >= ' ' && c <= '~') return fmt::format("unexpected character '{}'", c);
  return fmt::format("unexpected byte 0x{:02x}; is this a text in UTF-8?", static_cast<unsigned char>(c));
}

/// A recursive-descent reader over one text. The first trouble is kept in `error_` and ends the parse.
class Parser {
 public:
  Parser(std::string_view text, std::string_view file, JsonDialect dialect) : text_(text), file_(file), dialect_(dialect) {}

  Result<Json> parse() {
    if (text_.size() / 2 > kMaxValues && count_values() > kMaxValues) {
      return input_error(fmt::format("{}: holds more than {} million values; is it the right file?", file_, kMaxValues / 1'000'000));
    }
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark some editors leave
    Json root = value(0);
    if (error_.empty() && dialect_ != JsonDialect::Foreign) {
      skip_space();
      if (at_ < text_.size()) fail("something follows the end of the document");
    }
    if (!error_.empty()) return input_error(error_);
    return root;
  }

 private:
  /// At least as many as there are, without making any.
  size_t count_values() const {
    size_t count = 1;
    bool in_text = false;
    for (size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') {
        in_text = !in_text;
      } else if (c == '\\' && in_text) {
        ++i;
      } else if (!in_text && (c == ',' || c == '[' || c == '{')) {
        ++count;
      }
    }
    return count;
  }

  void fail(std::string_view what) {
    if (error_.empty()) error_ = fmt::format("{}:{}: {}", file_, line_, what);
    at_ = text_.size();
  }
  bool ended() const { return at_ >= text_.size(); }
  char peek() const { return ended() ? '\0' : text_[at_]; }
  char take() {
    const char c = text_[at_++];
    if (c == '\n') ++line_;
    return c;
  }
  bool accept(char c) {
    if (peek() != c || ended()) return false;
    take();
    return true;
  }

  void skip_space() {
    while (!ended()) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        take();
      } else if (c == '/' && dialect_ != JsonDialect::Strict && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
        while (!ended() && peek() != '\n') take();
      } else if (c == '/' && dialect_ != JsonDialect::Strict && at_ + 1 < text_.size() && text_[at_ + 1] == '*') {
        skip_block_comment();
      } else {
        return;
      }
    }
  }
  void skip_block_comment() {
    const int start = line_;
    take(), take();
    while (!ended()) {
      if (take() == '*' && peek() == '/') {
        take();
        return;
      }
    }
    fail(fmt::format("the comment begun in line {} does not end", start));
  }

  Json value(int depth) {
    skip_space();
    Json result;
    if (depth > kMaximumDepth) return fail("nested too deeply"), result;
    const int line = line_;
    if (ended()) {
      fail("the document ends where a value is expected");
    } else if (peek() == '{') {
      result = object(depth);
    } else if (peek() == '[') {
      result = array(depth);
    } else if (peek() == '"') {
      result = Json(string());
    } else {
      result = scalar();
    }
    result.line = line;
    return result;
  }

  Json object(int depth) {
    Json result = Json::object();
    std::set<std::string> keys;  // a search through the members would take for ever in a hostile file
    take();
    skip_space();
    if (accept('}')) return result;
    while (error_.empty()) {
      skip_space();
      if (dialect_ != JsonDialect::Strict && accept('}')) return result;
      if (peek() != '"') return fail("expected a key in double quotes"), result;
      std::string key = string();
      skip_space();
      if (!accept(':')) return fail(fmt::format("expected ':' after the key \"{}\"", key)), result;
      if (!keys.insert(key).second) return fail(fmt::format("the key \"{}\" is given twice", key)), result;
      result.members.emplace_back(std::move(key), value(depth + 1));
      skip_space();
      if (accept(',')) continue;
      if (accept('}')) return result;
      fail("expected ',' or '}'");
    }
    return result;
  }

  Json array(int depth) {
    Json result = Json::array();
    take();
    skip_space();
    if (accept(']')) return result;
    while (error_.empty()) {
      skip_space();
      if (dialect_ != JsonDialect::Strict && accept(']')) return result;
      result.items.push_back(value(depth + 1));
      skip_space();
      if (accept(',')) continue;
      if (accept(']')) return result;
      fail("expected ',' or ']'");
    }
    return result;
  }

  std::string string() {
    const int start = line_;
    std::string result;
    take();
    while (!ended()) {
      const char c = take();
      if (c == '"') return result;
      if (c == '\\') {
        escape(result);
      } else if (static_cast<unsigned char>(c) < 0x20 && dialect_ != JsonDialect::Foreign) {
        line_ = start;
        fail("a text contains a line break or control character; write \\n instead");
      } else {
        result.push_back(c);
      }
    }
    if (error_.empty()) line_ = start, fail("this text has no closing quote");
    return result;
  }
  void escape(std::string& out) {
    if (ended()) return;
    const char c = take();
    switch (c) {
      case '"': case '\\': case '/': out.push_back(c); break;
      case 'b': out.push_back('\b'); break;
      case 'f': out.push_back('\f'); break;
      case 'n': out.push_back('\n'); break;
      case 'r': out.push_back('\r'); break;
      case 't': out.push_back('\t'); break;
      case 'u': unicode(out); break;
      default: fail(fmt::format("unknown escape \\{}", c));
    }
  }
  int hex4() {
    int code = 0;
    if (at_ + 4 > text_.size()) return -1;
    const auto [end, trouble] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
    if (trouble != std::errc() || end != text_.data() + at_ + 4) return -1;
    at_ += 4;
    return code;
  }
  void unicode(std::string& out) {
    int code = hex4();
    if (code >= 0xD800 && code < 0xDC00) {  // the first half of a surrogate pair
      int low = -1;
      if (at_ + 1 < text_.size() && text_[at_] == '\\' && text_[at_ + 1] == 'u') at_ += 2, low = hex4();
      code = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : -1;
    }
    if (code < 0 || (code >= 0xDC00 && code < 0xE000)) return fail("a \\u escape needs four hexadecimal digits that name a character");
    auto put = [&](int byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xC0 | (code >> 6)), put(0x80 | (code & 63));
    } else if (code < 0x10000) {
      put(0xE0 | (code >> 12)), put(0x80 | ((code >> 6) & 63)), put(0x80 | (code & 63));
    } else {
      put(0xF0 | (code >> 18)), put(0x80 | ((code >> 12) & 63)), put(0x80 | ((code >> 6) & 63)), put(0x80 | (code & 63));
    }
  }

  Json scalar() {
    const size_t begin = at_;
    while (!ended() && (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '+' || peek() == '-' || peek() == '.')) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "true") return true;
    if (word == "false") return false;
    if (word == "null") return {};
    double number = 0;
    const auto [end, trouble] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool starts_well = !word.empty() && (std::isdigit(static_cast<unsigned char>(word[0])) || word[0] == '-');
    if (!starts_well || end != word.data() + word.size() || trouble == std::errc::invalid_argument) {
      fail(word.empty() ? unexpected(peek()) : fmt::format("\"{}\" is not a value; texts need double quotes", word));
    } else if (trouble == std::errc::result_out_of_range || !std::isfinite(number)) {
      fail(fmt::format("the number {} is out of range", word));
    }
    return number;
  }

  std::string_view text_, file_;
  JsonDialect dialect_;
  size_t at_ = 0;
  int line_ = 1;
  std::string error_;
};

void write_text(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<int>(c));
        } else {
          out.push_back(c);
        }
    }
  }
  out.push_back('"');
}

void write_number(std::string& out, double number, JsonNumbers numbers) {
  if (!std::isfinite(number)) {
    out += "null";  // JSON has no other word for it
    return;
  }
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53: beyond it, doubles skip whole numbers
  const bool is_whole = number == std::floor(number) && std::abs(number) <= kLargestExact && !(number == 0 && std::signbit(number));
  char digits[32];
  const auto end = is_whole && numbers == JsonNumbers::Plain ? std::to_chars(digits, digits + sizeof digits, static_cast<int64_t>(number)).ptr
                                                             : std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

void break_line(std::string& out, int indent, int depth) {
  if (indent == 0) return;
  out.push_back('\n');
  out.append(static_cast<size_t>(indent) * static_cast<size_t>(depth), ' ');
}

void write_value(std::string& out, const Json& value, int indent, int depth, JsonNumbers numbers) {
  switch (value.kind) {
    case Json::Kind::Null: out += "null"; break;
    case Json::Kind::Boolean: out += value.boolean ? "true" : "false"; break;
    case Json::Kind::Number: write_number(out, value.number, numbers); break;
    case Json::Kind::Text: write_text(out, value.text); break;
    case Json::Kind::Array: {
      const bool flat = std::all_of(value.items.begin(), value.items.end(), [](const Json& item) { return item.is_number(); });
      out.push_back('[');
      for (size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += flat && indent > 0 ? ", " : ",";
        if (!flat) break_line(out, indent, depth + 1);
        write_value(out, value.items[i], indent, depth + 1, numbers);
      }
      if (!flat) break_line(out, indent, depth);
      out.push_back(']');
      break;
    }
    case Json::Kind::Object: {
      out.push_back('{');
      for (size_t i = 0; i < value.members.size(); ++i) {
        if (i > 0) out.push_back(',');
        break_line(out, indent, depth + 1);
        write_text(out, value.members[i].first);
        out += indent > 0 ? ": " : ":";
        write_value(out, value.members[i].second, indent, depth + 1, numbers);
      }
      if (!value.members.empty()) break_line(out, indent, depth);
      out.push_back('}');
      break;
    }
  }
}

}  // namespace

Json Json::array(std::vector<Json> values) {
  Json result;
  result.kind = Kind::Array;
  result.items = std::move(values);
  return result;
}

Json Json::object(std::vector<std::pair<std::string, Json>> values) {
  Json result;
  result.kind = Kind::Object;
  result.members = std::move(values);
  return result;
}

const Json* Json::find(std::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

int Json::whole(std::string_view key, int otherwise) const {
  const Json* value = find(key);
  if (!value || !value->is_number() || !(std::abs(value->number) <= std::numeric_limits<int>::max()) || value->number != std::floor(value->number)) return otherwise;
  return static_cast<int>(value->number);
}

Json* Json::find(std::string_view key) {
  return const_cast<Json*>(std::as_const(*this).find(key));
}

Json& Json::operator[](std::string_view key) {
  if (Json* found = find(key)) return *found;
  kind = Kind::Object;
  return members.emplace_back(std::string(key), Json()).second;
}

std::string_view kind_name(Json::Kind kind) {
  switch (kind) {
    case Json::Kind::Null: return "null";
    case Json::Kind::Boolean: return "true or false";
    case Json::Kind::Number: return "a number";
    case Json::Kind::Text: return "a text";
    case Json::Kind::Array: return "an array";
    case Json::Kind::Object: return "an object";
  }
  return "";
}

Result<Json> parse_json(std::string_view text, std::string_view file, JsonDialect dialect) {
  return Parser(text, file, dialect).parse();
}

std::string write_json(const Json& value, int indent, JsonNumbers numbers) {
  std::string out;
  write_value(out, value, indent, 0, numbers);
  return out;
}

}  // namespace crumple
