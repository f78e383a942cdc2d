#include "crumple/core/json.h"

#include <gtest/gtest.h>

namespace crumple {
namespace {

TEST(Json, reads_back_what_it_writes) {
  const std::string text = R"({"a": [1, 2.5, -3e-7], "b": {"c": null, "d": true}, "e": "tab\t \"quoted\" \u00e4"})";
  Result<Json> json = parse_json(text, "x");
  ASSERT_TRUE(json) << json.error().text;
  Result<Json> again = parse_json(write_json(*json), "x", JsonDialect::Strict);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(write_json(*json, 0), write_json(*again, 0));
  EXPECT_EQ(json->find("a")->items[2].number, -3e-7);
  EXPECT_EQ(json->find("e")->text, "tab\t \"quoted\" \xC3\xA4");
}

TEST(Json, remembers_lines_through_comments) {
  Result<Json> json = parse_json("{\n// one\n/* two\nthree */\n\"key\": 1,\n}", "x");
  ASSERT_TRUE(json) << json.error().text;
  EXPECT_EQ(json->find("key")->line, 5);
}

TEST(Json, foreign_files_may_break_lines_in_texts_and_end_in_rubbish) {
  Result<Json> json = parse_json("{\"a\": \"one\ntwo\"} and more", "x", JsonDialect::Foreign);
  ASSERT_TRUE(json) << json.error().text;
  EXPECT_EQ(json->find("a")->text, "one\ntwo");
  EXPECT_FALSE(parse_json("{\"a\": \"one\ntwo\"}", "x"));
}

TEST(Json, numbers_survive_to_the_last_bit) {
  for (const double number : {0.1, 1.0 / 3, 6.02214076e23, -4.9e-324, 123456789012345678.0}) {
    Result<Json> json = parse_json(write_json(Json(number)), "x");
    ASSERT_TRUE(json);
    EXPECT_EQ(json->number, number);
  }
}

TEST(Json, broken_texts_are_refused_with_their_line) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "x:1: the document ends"},
      {"{\"a\": 1", "x:1: expected ',' or '}'"},
      {"{\n\"a\" 1}", "x:2: expected ':'"},
      {"[1,\n2,\nnan]", "x:3: \"nan\" is not a value"},
      {"[1e999]", "x:1: the number 1e999 is out of range"},
      {"{\"a\": 1, \"a\": 2}", "x:1: the key \"a\" is given twice"},
      {"[1] 2", "x:1: something follows"},
      {"\"abc", "x:1: this text has no closing quote"},
      {"/* no end", "x:1: the comment begun in line 1"},
      {"[\"\\u12\"]", "x:1: a \\u escape"},
      {"{a: 1}", "x:1: expected a key"},
  };
  for (const auto& [text, message] : cases) {
    Result<Json> json = parse_json(text, "x");
    ASSERT_FALSE(json) << text;
    EXPECT_TRUE(json.error().text.starts_with(message)) << json.error().text;
  }
}

TEST(Json, many_keys_take_no_longer_than_they_should) {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i) text += "\"k" + std::to_string(i) + "\":1,";
  EXPECT_TRUE(parse_json(text + "\"last\":1}", "x.json"));  // a minute, if each key were compared with all before it
  EXPECT_FALSE(parse_json(text + "\"k7\":1}", "x.json"));
}

TEST(Json, whole_numbers_are_written_without_an_exponent) {
  for (const double number : {0.0, 3e5, -3e5, 1e6, 235e6, 123456789012.0, 9007199254740992.0}) {
    const std::string text = write_json(Json(number), 0);
    EXPECT_EQ(text.find_first_of("eE."), std::string::npos) << text;
    EXPECT_EQ(parse_json(text, "x")->number, number);
  }
  EXPECT_EQ(write_json(Json(1e300), 0), "1e+300");
  EXPECT_EQ(write_json(Json(-0.0), 0), "-0");
  EXPECT_EQ(write_json(Json(3e5), 0, JsonNumbers::Shortest), "3e+05");
}

TEST(Json, a_document_of_too_many_values_is_refused_before_they_are_made) {
  std::string text = "[\"[,{,\\\",\"";
  for (int i = 0; i < 2'000'000; ++i) text += ",0";
  EXPECT_FALSE(parse_json(text + "]", "x"));
  EXPECT_TRUE(parse_json("[\"" + std::string(5'000'000, ',') + "\"]", "x")) << "what stands in a text does not count";
}

TEST(Json, deep_nesting_is_refused_and_does_not_exhaust_the_stack) {
  EXPECT_FALSE(parse_json(std::string(1000000, '['), "x"));
}

}  // namespace
}  // namespace crumple
