#include "crumple/core/fields.h"

#include <gtest/gtest.h>

namespace crumple {
namespace {

enum class Finish { Matt, Glossy };

struct Knob {
  double size = 2;
};
void describe(Fields& f, Knob& k) {
  f.number("size", k.size, more_than(0), {"how big", "m"});
}

struct Radio {
  double volume = 5;
  std::optional<double> tuning;
  int stations = 3;
  bool stereo = false;
  std::string label;
  std::array<double, 3> at = {0, 1, 2};
  std::array<float, 3> color = {0.62f, 0, 1};
  std::optional<std::vector<double>> presets;
  Finish finish = Finish::Matt;
  std::vector<std::string> owners;
  std::map<std::string, std::string> notes;
  Knob knob;
  std::optional<Knob> spare;
  std::vector<Knob> row;
};
void describe(Fields& f, Radio& r) {
  f.number("volume", r.volume, between(0, 10), {"how loud", "dB"});
  f.number("tuning", r.tuning, at_least(87.5), {"what it plays"});
  f.integer("stations", r.stations, between(1, 99), {"how many"});
  f.flag("stereo", r.stereo, {"both ears"});
  f.text("label", r.label, {"what is written on it"});
  f.vector("at", r.at, {"where"});
  f.color("color", r.color, {"which"});
  f.numbers("presets", r.presets, 0, {"any number of them"});
  f.choice<Finish>("finish", r.finish, {{"matt", Finish::Matt}, {"glossy", Finish::Glossy}}, {"how it shines"});
  f.texts("owners", r.owners, {"who"});
  f.texts("notes", r.notes, {"what they said"});
  f.object("knob", r.knob, {"the big one"});
  f.object("spare", r.spare, {"may be absent"});
  f.list("row", r.row, {"the small ones"});
}

Result<Radio> read(std::string_view text) {
  Result<Json> json = parse_json(text, "radio.json");
  if (!json) return json.error();
  Radio radio;
  if (Result<void> read = Fields::read(*json, "radio.json", radio); !read) return read.error();
  return radio;
}

std::string complaint(std::string_view text) {
  const Result<Radio> radio = read(text);
  return radio ? "nothing to complain about" : radio.error().text;
}

TEST(Fields, read_every_kind_of_value) {
  const Result<Radio> radio = read(R"({"volume": 7.5, "tuning": 101, "stations": 12, "stereo": true, "label": "A", "at": [1, 2, 3],
    "color": [0, 0.5, 1], "presets": [1, 2, 3, 4], "finish": "glossy", "owners": ["x", "y"], "notes": {"x": "loud"},
    "knob": {"size": 9}, "spare": {}, "row": [{"size": 1}, {}]})");
  ASSERT_TRUE(radio) << radio.error().text;
  EXPECT_EQ(radio->volume, 7.5);
  EXPECT_EQ(radio->tuning, 101);
  EXPECT_EQ(radio->stations, 12);
  EXPECT_TRUE(radio->stereo);
  EXPECT_EQ(radio->label, "A");
  EXPECT_EQ(radio->at[2], 3);
  EXPECT_EQ(radio->color[1], 0.5f);
  EXPECT_EQ(radio->presets->size(), 4u);
  EXPECT_EQ(radio->finish, Finish::Glossy);
  EXPECT_EQ(radio->owners, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(radio->notes.at("x"), "loud");
  EXPECT_EQ(radio->knob.size, 9);
  EXPECT_EQ(radio->spare->size, 2);
  ASSERT_EQ(radio->row.size(), 2u);
  EXPECT_EQ(radio->row[0].size, 1);
  EXPECT_EQ(radio->row[1].size, 2);
}

TEST(Fields, absent_keys_keep_their_defaults) {
  const Result<Radio> radio = read("{}");
  ASSERT_TRUE(radio) << radio.error().text;
  EXPECT_EQ(radio->volume, 5);
  EXPECT_FALSE(radio->tuning);
  EXPECT_FALSE(radio->spare);
  EXPECT_FALSE(radio->presets);
  EXPECT_EQ(radio->at[2], 2);
}

TEST(Fields, what_is_written_reads_back_the_same) {
  Radio radio;
  radio.tuning = 99.9, radio.presets = {0.1, 1.0 / 3}, radio.finish = Finish::Glossy, radio.spare.emplace().size = 4, radio.row.resize(2);
  radio.owners = {"a/b", "~"}, radio.notes = {{"k", "v"}};
  const std::string text = write_json(Fields::write(radio));
  const Result<Radio> again = read(text);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(write_json(Fields::write(*again)), text);
  EXPECT_EQ(again->presets, radio.presets);
  EXPECT_NE(text.find("0.62"), std::string::npos);
  EXPECT_EQ(text.find("0.6200"), std::string::npos) << "colours are written as a person would";
}

TEST(Fields, every_complaint_names_file_line_place_and_remedy) {
  const std::pair<const char*, const char*> cases[] = {
      {"{\n\"volum\": 1}", "radio.json:2: /volum: unknown key; did you mean \"volume\"?"},
      {"{\n\n\"stereo\": true, \"stroboscope\": 1}", "radio.json:3: /stroboscope: unknown key"},
      {"{\"knob\": {\n\"szie\": 1}}", "radio.json:2: /knob/szie: unknown key; did you mean \"size\"?"},
      {"{\"row\": [{}, {\n\"sise\": 1}]}", "radio.json:2: /row/1/sise: unknown key; did you mean \"size\"?"},
      {"{\"a/b~c\": 1}", "radio.json:1: /a~1b~0c: unknown key"},
      {"{\"volume\": \"loud\"}", "radio.json:1: /volume: expected a number, not a text"},
      {"{\"volume\": null}", "radio.json:1: /volume: expected a number, not null"},
      {"{\"stereo\": 1}", "radio.json:1: /stereo: expected true or false, not a number"},
      {"{\"label\": [\"a\"]}", "radio.json:1: /label: expected a text, not an array"},
      {"{\"knob\": 3}", "radio.json:1: /knob: expected an object, not a number"},
      {"{\"row\": {}}", "radio.json:1: /row: expected an array, not an object"},
      {"{\"row\": [{},\n7]}", "radio.json:2: /row/1: expected an object, not a number"},
      {"{\"volume\": 10.5}", "radio.json:1: /volume: 10.5 is out of range; it must be between 0 and 10 dB"},
      {"{\"volume\": -1e-9}", "radio.json:1: /volume: -1e-09 is out of range; it must be between 0 and 10 dB"},
      {"{\"tuning\": 3}", "radio.json:1: /tuning: 3 is out of range; it must be at least 87.5"},
      {"{\"knob\": {\"size\": 0}}", "radio.json:1: /knob/size: 0 is out of range; it must be more than 0 m"},
      {"{\"stations\": 2.5}", "radio.json:1: /stations: 2.5 is not a whole number"},
      {"{\"stations\": 1e300}", "radio.json:1: /stations: 1e+300 is out of range; it must be between 1 and 99"},
      {"{\"at\": [1, 2]}", "radio.json:1: /at: expected 3 numbers"},
      {"{\"at\": [1, 2, \"3\"]}", "radio.json:1: /at: expected 3 numbers"},
      {"{\"at\": [1, 2, 1e30]}", "radio.json:1: /at: 1e+30 is out of range; it must be between -1000000000 and 1000000000"},
      {"{\"color\": [0, 0, 1.5]}", "radio.json:1: /color: each part of a colour must be between 0 and 1"},
      {"{\"presets\": [1, true]}", "radio.json:1: /presets: expected an array of numbers"},
      {"{\"finish\": \"mat\"}", "radio.json:1: /finish: unknown word \"mat\"; expected \"matt\" or \"glossy\""},
      {"{\"owners\": [1]}", "radio.json:1: /owners: expected an array of texts"},
      {"{\"notes\": {\"x\": 1}}", "radio.json:1: /notes: \"x\" must be a text"},
      {"[]", "radio.json:1: /: expected an object"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(complaint(text), message) << text;
}

TEST(Fields, the_first_of_several_mistakes_is_told) {
  EXPECT_EQ(complaint("{\"volume\": 99, \"stations\": 0, \"x\": 1}"), "radio.json:1: /volume: 99 is out of range; it must be between 0 and 10 dB");
}

TEST(Fields, the_schema_knows_types_ranges_defaults_help_and_refuses_other_keys) {
  const Json schema = Fields::schema<Radio>();
  EXPECT_EQ(schema.find("type")->text, "object");
  EXPECT_FALSE(schema.find("additionalProperties")->boolean);
  const Json& properties = *schema.find("properties");
  EXPECT_EQ(properties.members.size(), 14u);
  const Json& volume = *properties.find("volume");
  EXPECT_EQ(volume.find("type")->text, "number");
  EXPECT_EQ(volume.find("minimum")->number, 0);
  EXPECT_EQ(volume.find("maximum")->number, 10);
  EXPECT_EQ(volume.find("default")->number, 5);
  EXPECT_EQ(volume.find("description")->text, "how loud [dB]");
  EXPECT_EQ(properties.find("tuning")->find("default"), nullptr);
  EXPECT_EQ(properties.find("knob")->find("properties")->find("size")->find("exclusiveMinimum")->number, 0);
  EXPECT_EQ(properties.find("spare")->find("properties")->members.size(), 1u);
  EXPECT_EQ(properties.find("row")->find("items")->find("properties")->members.size(), 1u);
  EXPECT_EQ(properties.find("finish")->find("enum")->items[1].text, "glossy");
  EXPECT_EQ(properties.find("at")->find("minItems")->number, 3);
  EXPECT_EQ(properties.find("presets")->find("minItems"), nullptr);
}

}  // namespace
}  // namespace crumple
