#include <cmath>

#include "crumple/core/json.h"
#include "tests/cli/program.h"

namespace crumple {
namespace {

class SectionCommand : public testing::Test {
 protected:
  Answer section(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "section");
    return run_program(arguments, scratch.path(), scratch);
  }
  /// A number of the JSON answer.
  double number(std::vector<std::string> arguments, const char* group, const char* key) {
    arguments.push_back("--json");
    const Answer answer = section(arguments);
    EXPECT_EQ(answer.code, 0) << answer.err;
    const Result<Json> json = parse_json(answer.out, "stdout", JsonDialect::Strict);
    const Json* found = json ? &*json : nullptr;
    for (const std::string_view name : {std::string_view(group), std::string_view(key)}) {
      if (found && !name.empty()) found = found->find(name);
    }
    EXPECT_TRUE(found && found->is_number()) << group << " " << key << "\n" << answer.out;
    return found ? found->number : std::nan("");
  }
  void expect_lines(const Answer& answer, const std::vector<std::string>& lines) {
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(answer.err, "");
    for (const std::string& line : lines) EXPECT_NE(answer.out.find(line + "\n"), std::string::npos) << line << "\nis not in\n" << answer.out;
  }
  Scratch scratch;
};

TEST_F(SectionCommand, prints_the_capacities_of_a_square_bar_with_their_formulas) {
  expect_lines(section({"--rect", "0.01x0.01", "--steel", "200"}),
               {"rectangle: width b = 0.01 m, height h = 0.01 m",
                "steel: E = 200 GPa, G = 76.923 GPa, yield stress f_y = 200 MPa, in shear tau = 100 MPa (Tresca, f_y / 2)",
                "  N     axial force            20 kN            f_y b h", "  V1    shear along 1          10 kN            tau b h",
                "  T     torque about 0         33.333 N m       tau s^2 (3 l - s) / 6, shorter side s, longer l",
                "  M1    bending about 1        50 N m           f_y b h^2 / 4",
                "  (paper 5, eq. 2.14, integrates the distance instead: T = 38.26 N m, 15 % more than a bar that is not round can take)",
                "        turn                   2.5 rad          ultimate plastic rotation"});
}

TEST_F(SectionCommand, knows_every_shape) {
  const double fy = 355e6, tau = fy / 2;
  EXPECT_NEAR(number({"--rect", "0.02x0.05", "--steel", "S355"}, "capacity", "bending_1"), fy * 0.02 * 0.0025 / 4, 1e-6);
  EXPECT_NEAR(number({"--rect", "0.02x0.05", "--steel", "S355"}, "capacity", "bending_2"), fy * 0.05 * 0.0004 / 4, 1e-6);
  EXPECT_NEAR(number({"--circle", "0.1", "--steel", "355"}, "capacity", "torsion"), tau * 2 / 3 * M_PI * std::pow(0.05, 3), 1e-5);
  const double cubes = std::pow(0.05, 3) - std::pow(0.04, 3);
  EXPECT_NEAR(number({"--tube", "0.1x0.01", "--steel", "355"}, "capacity", "bending_2"), fy * 4 / 3 * cubes, 1e-5);
  EXPECT_NEAR(number({"--i", "0.2x0.1x0.0056x0.0085", "--steel", "355"}, "capacity", "axial"), fy * (2 * 0.1 * 0.0085 + 0.183 * 0.0056), 1e-3);
}

TEST_F(SectionCommand, knows_every_material) {
  const std::vector<std::string> square = {"--rect", "1x1"};
  const auto axial = [&](std::vector<std::string> material, const char* key = "axial") {
    material.insert(material.end(), square.begin(), square.end());
    return number(material, "capacity", key);
  };
  EXPECT_NEAR(axial({"--concrete", "200:0.0004"}), 80e3, 1e-6);
  EXPECT_NEAR(axial({"--aluminium"}), 250e6, 1e-3);
  EXPECT_NEAR(axial({"--aluminium", "100"}), 100e6, 1e-3);
  EXPECT_NEAR(axial({"--wood"}), 24e6, 1e-3);
  EXPECT_NEAR(axial({"--wood"}, "shear_1"), 4e6, 1e-3);
  EXPECT_NEAR(axial({"--material", "E=1e9,yield=3e6"}), 3e6, 1e-6);
  EXPECT_NEAR(axial({"--material", "E=1e9,yield=3e6,shear_yield=1e6"}, "shear_2"), 1e6, 1e-6);
  EXPECT_NEAR(axial({"--material", "E=1e9,yield=3e6,shear_rule=von_mises"}, "shear_2"), std::sqrt(3.0) * 1e6, 1e-3);
  EXPECT_NEAR(axial({"--steel", "200", "--von-mises"}, "shear_1"), 200e6 / std::sqrt(3.0), 1e-3);
  EXPECT_NEAR(axial({"--steel", "200", "--tresca"}, "shear_1"), 100e6, 1e-3);
}

TEST_F(SectionCommand, tells_stiffness_and_elongation_of_a_length_of_bar) {
  const std::vector<std::string> block = {"--rect", "1x1", "--concrete", "200:0.0004", "--length", "1.5"};
  EXPECT_NEAR(number(block, "stiffness", "axial"), 160e6 / 3, 1e-3);
  EXPECT_NEAR(number(block, "", "ultimate_elongation"), 0.375, 1e-12);
  EXPECT_NEAR(number(block, "", "mass_per_length"), 2002.32, 1e-9);
  expect_lines(section(block), {"elastic stiffness of a joint with L = 1.5 m of bar", "  N     axial                  53.333 MN/m      E A / L"});
}

TEST_F(SectionCommand, prints_hardening_where_there_is_some) {
  const Answer hard = section({"--rect", "0.1x0.1", "--material", "E=2e11,yield=2e8,hardening=1e9"});
  expect_lines(hard, {"hardening: growth of the capacities with plastic flow", "  N     axial                  10 MN            H A"});
  EXPECT_EQ(section({"--rect", "0.1x0.1", "--steel", "200"}).out.find("hardening"), std::string::npos);
}

TEST_F(SectionCommand, refuses_what_cannot_be_meant) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--rect", "0x0.1", "--steel", "200"}, "the width of the rectangle is 0 m; it must be above zero"},
      {{"--circle", "-0.1", "--steel", "200"}, "the diameter of the circle is -0.1 m; it must be above zero"},
      {{"--circle", "nan", "--steel", "200"}, "the diameter of the circle is nan m"},
      {{"--circle", "1e300", "--steel", "200"}, "the diameter of the circle is 1e+300 m; sizes lie between"},
      {{"--tube", "0.1x0.06", "--steel", "200"}, "the wall of the tube is 0.06 m, thicker than its radius of 0.05 m"},
      {{"--i", "0.2x0.1x0.01x0.1", "--steel", "200"}, "two flanges of 0.1 m leave no web in an I that is 0.2 m high"},
      {{"--rect", "0.1", "--steel", "200"}, "--rect 0.1: expected 2 sizes, such as 0.01x0.02 (width, height)"},
      {{"--rect", "0.1xwide", "--steel", "200"}, "--rect 0.1xwide: \"wide\" is not a number; give metres"},
      {{"--rect", "1x1", "--circle", "1", "--steel", "200"}, "--rect and --circle: give one section"},
      {{"--steel", "200"}, "which section? Give --rect, --circle, --tube or --i"},
      {{"--rect", "1x1"}, "which material? Give --steel, --concrete, --aluminium, --wood or --material"},
      {{"--rect", "1x1", "--steel", "200", "--wood"}, "give one material, not several"},
      {{"--rect", "1x1", "--steel", "300000"}, "the yield stress of 3e+11 Pa is not below E = 2e+11 Pa"},
      {{"--rect", "1x1", "--steel", "0"}, "the yield stress is 0 Pa; it must be above zero"},
      {{"--rect", "1x1", "--steel", "nan"}, "the yield stress is nan Pa"},
      {{"--rect", "1x1", "--steel", "strong"}, "--steel strong: \"strong\" is not a yield stress; give MPa, such as 200 or S235"},
      {{"--rect", "1x1", "--concrete", "200"}, "--concrete 200: give the yield stress of the steel in MPa and its share"},
      {{"--rect", "1x1", "--concrete", "200:1.5"}, "the share of steel is 1.5; it must be above 0 and at most 1"},
      {{"--rect", "1x1", "--titanium"}, "unknown option \"--titanium\""},
      {{"--rect", "1x1", "--material", "titanium"}, "--material titanium: \"titanium\" is not KEY=VALUE"},
      {{"--rect", "1x1", "--material", "E=1e9,yield=1e6,densty=1"}, "--material: /densty: unknown key; did you mean \"density\"?"},
      {{"--rect", "1x1", "--material", "E=1e9,yield=nan"}, "--material E=1e9,yield=nan: yield is not a finite number"},
      {{"--rect", "1x1", "--material", "E=1e9,yield=2e9"}, "the yield stress of 2e+09 Pa is not below E = 1e+09 Pa"},
      {{"--rect", "1x1", "--material", "E=1e9,yield=1e6,E=1"}, "--material E=1e9,yield=1e6,E=1: E is given twice"},
      {{"--rect", "1x1", "--wood", "--tresca"}, "--tresca: the shear yield stress of this wood is given by itself"},
      {{"--rect", "1x1", "--steel", "200", "--tresca", "--von-mises"}, "--tresca and --von-mises: give one of them"},
      {{"--rect", "1x1", "--steel", "200", "--length", "0"}, "--length 0: expected metres between"},
  };
  for (const auto& [arguments, text] : cases) expect_refusal(section(arguments), text);
}

}  // namespace
}  // namespace crumple
