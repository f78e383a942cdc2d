#include <fmt/format.h>

#include "crumple/io/gltf_asset.h"
#include "crumple/io/image.h"
#include "tests/cli/program.h"
#include "tests/scene/goldens.h"

namespace crumple {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCat =
    "<svg viewBox=\"0 0 200 100\">\n"
    "<g id=\"layer-body\"><rect x=\"10\" y=\"20\" width=\"100\" height=\"60\" fill=\"#a52\"/></g>\n"
    "<g id=\"layer-arm\"><rect x=\"90\" y=\"35\" width=\"100\" height=\"30\" fill=\"#ca4\"/></g>\n"
    "<g id=\"rig\"><circle id=\"handle-hip\" cx=\"30\" cy=\"50\"/><line id=\"bone-arm\" x1=\"130\" y1=\"50\" x2=\"180\" y2=\"50\"/>\n"
    "<circle id=\"handle-chest\" cx=\"80\" cy=\"50\" data-layer=\"body\"/><circle id=\"pin-shoulder\" cx=\"100\" cy=\"50\" data-layer=\"arm\" data-to=\"body\"/></g>\n"
    "</svg>\n";

class SpriteCommand : public testing::Test {
 protected:
  SpriteCommand() {
    write_text(scratch / "cat.svg", kCat);
    paint("disc.png", 128, 96, [](int x, int y) { return std::hypot(x - 64, y - 48) < 40; });
    paint("left.png", 200, 100, [](int x, int y) { return x > 10 && x < 110 && y > 20 && y < 80; });
    paint("right.png", 200, 100, [](int x, int y) { return x > 90 && x < 190 && y > 35 && y < 65; });
  }
  template <class IsIn>
  void paint(const std::string& file, int width, int height, const IsIn& is_in) {
    Picture picture(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        if (is_in(x, y)) picture.pixel(x, y)[0] = 200, picture.pixel(x, y)[3] = 255;
      }
    }
    ASSERT_TRUE(io::write_png(scratch / file, picture));
  }
  Answer run(std::vector<std::string> arguments, const Surroundings& around = {}) {
    arguments.insert(arguments.begin(), "sprite");
    return run_program(arguments, scratch.path(), scratch, around);
  }
  Asset sprite(const std::vector<std::string>& arguments, const std::string& file = "out.glb") {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(answer.err, "");
    const Result<Asset> asset = io::read_asset(scratch / file);
    EXPECT_TRUE(asset) << asset.error().text;
    return asset ? *asset : Asset();
  }
  static double area_of(const Asset& asset) {
    double area = 0;
    for (const Triangle& t : asset.surface.triangles) {
      const Vec3& a = asset.surface.positions[static_cast<size_t>(t[0])];
      area += 0.5 * (asset.surface.positions[static_cast<size_t>(t[1])] - a).cross(asset.surface.positions[static_cast<size_t>(t[2])] - a).z();
    }
    return area;
  }
  static std::vector<std::string> names_of(const Asset& asset) {
    std::vector<std::string> names;
    for (const Handle& handle : asset.handles) names.push_back(handle.name);
    return names;
  }
  Scratch scratch;
};

TEST_F(SpriteCommand, makes_a_sprite_of_a_picture) {
  const Asset asset = sprite({"disc.png", "-o", "out.glb"});
  ASSERT_TRUE(asset.flat);
  EXPECT_EQ(asset.name, "out");
  EXPECT_EQ(asset.flat->layers, (std::vector<std::string>{"disc"}));
  EXPECT_EQ(asset.handles.size(), 6u) << "chosen, as none is placed";
  EXPECT_NEAR(area_of(asset), M_PI * 41 * 41 / (256 * 256), 0.04 * M_PI * 41 * 41 / (256 * 256)) << "256 pixels make a metre";
  ASSERT_TRUE(asset.surface.materials);
  EXPECT_EQ((*asset.surface.materials)[0].color_texture.image->bytes, text_of(scratch / "disc.png")) << "the artist's file, byte for byte";
}

TEST_F(SpriteCommand, says_what_it_made_and_how_to_go_on) {
  const Answer answer = run({"cat.svg", "-o", "out.glb"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  for (const char* part : {"out.glb: ", "triangles", "layers", "body, arm, 1 pins", "residual", "hip, arm, chest", "crumple pose out.glb"}) {
    EXPECT_NE(answer.out.find(part), std::string::npos) << part << " / " << answer.out;
  }
  const size_t next = answer.out.find("crumple pose ");
  ASSERT_NE(next, std::string::npos);
  std::istringstream words(answer.out.substr(next + 8));
  std::vector<std::string> proposed;
  for (std::string word; words >> word;) proposed.push_back(word);
  proposed.push_back("--no-look");
  EXPECT_EQ(run_program(proposed, scratch.path(), scratch).code, 0) << "what is proposed can be done";
  EXPECT_EQ(io::read_asset(scratch / "out.glb")->examples.size(), 2u);
}

TEST_F(SpriteCommand, an_svg_brings_its_layers_and_marks) {
  const Asset asset = sprite({"cat.svg", "-o", "out.glb"});
  ASSERT_TRUE(asset.flat);
  EXPECT_EQ(asset.flat->layers, (std::vector<std::string>{"body", "arm"}));
  EXPECT_EQ(names_of(asset), (std::vector<std::string>{"hip", "arm", "chest"}));
  EXPECT_LT((asset.handles[0].position - Vec3(-70, 0, 0) / 256).norm(), 1e-6);
  ASSERT_EQ(asset.flat->pins.size(), 1u);
  EXPECT_EQ(asset.flat->layer[static_cast<size_t>(asset.flat->pins[0].vertex)], 1);
  EXPECT_EQ(asset.flat->layer[static_cast<size_t>(asset.flat->pins[0].triangle[0])], 0);
}

TEST_F(SpriteCommand, scale_changes_pixels_and_not_metres) {
  const Asset once = sprite({"cat.svg", "-o", "out.glb"}), thrice = sprite({"cat.svg", "--scale", "3", "-o", "out.glb"});
  EXPECT_EQ((*thrice.surface.materials)[0].color_texture.image->picture->width, 600);
  EXPECT_NEAR(area_of(thrice), area_of(once), 0.05 * area_of(once));
  EXPECT_LT((thrice.handles[0].position - once.handles[0].position).norm(), 1e-5);
}

TEST_F(SpriteCommand, several_pictures_are_layers) {
  const Asset asset = sprite({"left.png", "right.png", "-o", "out.glb", "--pin", "shoulder=100,50", "--handle", "hip=30,50", "--handle", "hand@right=180,50"});
  ASSERT_TRUE(asset.flat);
  EXPECT_EQ(asset.flat->layers, (std::vector<std::string>{"left", "right"}));
  EXPECT_EQ(names_of(asset), (std::vector<std::string>{"hip", "hand"}));
  ASSERT_EQ(asset.flat->pins.size(), 1u);
  EXPECT_EQ(asset.flat->layer[static_cast<size_t>(asset.flat->pins[0].vertex)], 1) << "the topmost is pinned";
  const Asset named = sprite({"left.png", "right.png", "-o", "out.glb", "--pin", "shoulder@right=100,50"});
  EXPECT_EQ(named.flat->layer[static_cast<size_t>(named.flat->pins.at(0).vertex)], 1);
  const Asset below = sprite({"left.png", "right.png", "-o", "out.glb", "--pin", "shoulder@left=100,50"});
  EXPECT_EQ(below.flat->layer[static_cast<size_t>(below.flat->pins.at(0).vertex)], 0);
}

TEST_F(SpriteCommand, handles_are_placed_and_counted) {
  EXPECT_EQ(sprite({"disc.png", "-o", "out.glb", "--handles", "9"}).handles.size(), 9u);
  EXPECT_EQ(names_of(sprite({"disc.png", "-o", "out.glb", "--handle", "a=40,48"})), (std::vector<std::string>{"a"}));
  const Asset asset = sprite({"disc.png", "-o", "out.glb", "--handle", "a=40,48", "--bone", "b=64,30,64,60", "--handles", "4"});
  ASSERT_EQ(asset.handles.size(), 4u);
  EXPECT_EQ(asset.handles[0].name, "a");
  EXPECT_LT((asset.handles[0].position - Vec3(-24, 0, 0) / 256).norm(), 1e-6);
  EXPECT_EQ(asset.handles[1].name, "b");
  EXPECT_LT((asset.handles[1].position - Vec3(0, 18, 0) / 256).norm(), 1e-6);
}

TEST_F(SpriteCommand, size_spacing_and_name_are_as_asked) {
  const Asset asset = sprite({"disc.png", "-o", "out.glb", "--height", "9.6", "--name", "moon", "--edge", "20"});
  EXPECT_EQ(asset.name, "moon");
  EXPECT_NEAR(bounds_of(asset.surface.positions).high.x() - bounds_of(asset.surface.positions).low.x(), 8.2, 0.3);
  EXPECT_LT(asset.surface.triangles.size(), sprite({"disc.png", "-o", "out.glb", "--edge", "5"}).surface.triangles.size() / 4);
}

TEST_F(SpriteCommand, a_picture_of_the_handles_is_drawn) {
  const Answer answer = run({"cat.svg", "-o", "out.glb", "--picture", "look.png"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const Result<io::Image> look = io::read_png(scratch / "look.png");
  ASSERT_TRUE(look) << look.error().text;
  EXPECT_GE(look->width, 900);
}

TEST_F(SpriteCommand, two_runs_write_the_same_bytes) {
  ASSERT_EQ(run({"cat.svg", "-o", "out.glb"}).code, 0);
  const std::string bytes = text_of(scratch / "out.glb");
  ASSERT_EQ(run({"cat.svg", "-o", "out.glb"}).code, 0);
  EXPECT_EQ(text_of(scratch / "out.glb"), bytes);
}

TEST_F(SpriteCommand, what_cannot_be_read_is_a_warning) {
  std::string cat = kCat;
  cat.insert(cat.find("<g id=\"rig\""), "<text>meow</text>");
  write_text(scratch / "text.svg", cat);
  const Answer answer = run({"text.svg", "-o", "out.glb"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_NE(answer.out.find("text.svg: <text> cannot be read"), std::string::npos) << answer.out;
}

TEST_F(SpriteCommand, a_picture_of_8192_pixels_works) {
  paint("wide.png", 8192, 1024, [](int x, int y) { return std::hypot((x - 4096) / 4000.0, (y - 512) / 500.0) < 1; });
  const Asset asset = sprite({"wide.png", "-o", "out.glb"});
  EXPECT_NEAR(area_of(asset), M_PI * 4000 * 500 / (256 * 256), 0.03 * M_PI * 4000 * 500 / (256 * 256));
}

TEST_F(SpriteCommand, thin_lines_work) {
  for (const int thick : {1, 2, 3}) {
    paint("line.png", 300, 40, [=](int x, int y) { return x > 10 && x < 290 && y >= 20 && y < 20 + thick; });
    const Asset asset = sprite({"line.png", "-o", "out.glb"});
    EXPECT_NEAR(area_of(asset), 279.0 * (thick + 2) / (256 * 256), 0.2 * 279 * (thick + 2) / (256 * 256));
  }
}

TEST_F(SpriteCommand, awkward_drawings_are_refused_in_one_line_and_leave_nothing) {
  paint("dot.png", 64, 64, [](int x, int y) { return x == 30 && y == 30; });
  paint("single.png", 1, 1, [](int, int) { return true; });
  paint("clear.png", 64, 64, [](int, int) { return false; });
  const std::string sound = text_of(scratch / "disc.png");
  write_text(scratch / "torn.png", sound.substr(0, sound.size() / 2));
  write_text(scratch / "text.png", "this is a text");
  write_text(scratch / "empty.png", "");
  write_text(scratch / "empty.svg", "");
  write_text(scratch / "torn.svg", std::string(kCat).substr(0, 200));
  write_text(scratch / "nothing.svg", "<svg viewBox=\"0 0 100 100\"/>");
  write_text(scratch / "path.svg", "<svg viewBox=\"0 0 100 100\">\n<path d=\"M1 2L\"/></svg>");
  fs::create_directory(scratch / "folder.png");
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"dot.png", "-o", "out.glb"}, "dot.png: nothing in it is larger than 16 pixels"},
      {{"single.png", "-o", "out.glb"}, "single.png: nothing in it is larger than 16 pixels"},
      {{"clear.png", "-o", "out.glb"}, "clear.png: is transparent everywhere"},
      {{"torn.png", "-o", "out.glb"}, "torn.png: "},
      {{"text.png", "-o", "out.glb"}, "text.png: is not a readable PNG"},
      {{"empty.png", "-o", "out.glb"}, "empty.png: "},
      {{"missing.png", "-o", "out.glb"}, "missing.png: no such file"},
      {{"folder.png", "-o", "out.glb"}, "folder.png: "},
      {{"missing.svg", "-o", "out.glb"}, "missing.svg: no such file"},
      {{"empty.svg", "-o", "out.glb"}, "empty.svg:1: is no valid SVG"},
      {{"torn.svg", "-o", "out.glb"}, "torn.svg:4: is no valid SVG"},
      {{"nothing.svg", "-o", "out.glb"}, "nothing.svg: is transparent everywhere"},
      {{"path.svg", "-o", "out.glb"}, "path.svg:2: a path has a wrong or missing number"},
      {{"disc.png", "left.png", "-o", "out.glb"}, "disc.png: layer \"left\" has 200 x 100 pixels and \"disc\" 128 x 96"},
      {{"disc.png", "cat.svg", "-o", "out.glb"}, "cat.svg: an .svg is a whole drawing"},
      {{"left.png", "missing.png", "-o", "out.glb"}, "missing.png: no such file"},
      {{"disc.png"}, "--output is required"},
      {{"-o", "out.glb"}, "drawing is required"},
      {{"disc.png", "-o", "out.fbx"}, "out.fbx: sprites are .glb"},
      {{"disc.png", "-o", "out.glb", "--handle", "a"}, "--handle a: expected a name and a place such as head=120,80"},
      {{"disc.png", "-o", "out.glb", "--handle", "=1,2"}, "--handle =1,2: expected a name and a place"},
      {{"disc.png", "-o", "out.glb", "--handle", "a=64"}, "--handle a=64: expected 2 numbers in pixels"},
      {{"disc.png", "-o", "out.glb", "--handle", "a=64,48,3"}, "--handle a=64,48,3: expected 2 numbers"},
      {{"disc.png", "-o", "out.glb", "--handle", "a=64,nan"}, "--handle a=64,nan: expected 2 numbers"},
      {{"disc.png", "-o", "out.glb", "--handle", "a=64,"}, "--handle a=64,: expected 2 numbers"},
      {{"disc.png", "-o", "out.glb", "--handle", "a=64,1e999"}, "--handle a=64,1e999: expected 2 numbers"},
      {{"disc.png", "-o", "out.glb", "--handle", "a=64,1e300"}, "disc.png: handle \"a\" at (64, 1e+300) is outside of the drawing"},
      {{"disc.png", "-o", "out.glb", "--handle", "a=1,1"}, "disc.png: handle \"a\" at (1, 1) is outside of the drawing"},
      {{"disc.png", "-o", "out.glb", "--handle", "a@arm=64,48"}, "disc.png: handle \"a\" asks for the layer \"arm\"; there are disc"},
      {{"disc.png", "-o", "out.glb", "--handle", "a=64,48", "--handle", "b=64,48"}, "disc.png: handle \"b\" at (64, 48) lies where another one is"},
      {{"disc.png", "-o", "out.glb", "--bone", "a=64,48"}, "--bone a=64,48: expected 4 numbers in pixels, such as arm=120,80,60,140"},
      {{"disc.png", "-o", "out.glb", "--bone", "a=64,48,1,1"}, "disc.png: the end of bone \"a\" at (1, 1) is outside"},
      {{"disc.png", "-o", "out.glb", "--pin", "a=64,48"}, "disc.png: pin \"a\" at (64, 48) has no layer to be pinned to"},
      {{"left.png", "right.png", "-o", "out.glb", "--pin", "a@right=20,50"}, "left.png: pin \"a\" at (20, 50) is outside of what layer \"right\" shows"},
      {{"disc.png", "-o", "out.glb", "--handles", "0"}, "--handles"},
      {{"disc.png", "-o", "out.glb", "--handles", "1000"}, "--handles"},
      {{"disc.png", "-o", "out.glb", "--height", "-1"}, "--height"},
      {{"disc.png", "-o", "out.glb", "--height", "nan"}, "--height"},
      {{"disc.png", "-o", "out.glb", "--edge", "0"}, "--edge"},
      {{"disc.png", "-o", "out.glb", "--edge", "-nan"}, "--edge"},
      {{"cat.svg", "-o", "out.glb", "--scale", "1e9"}, "--scale"},
      {{"disc.png", "-o", "out.glb", "--handel", "a=1,2"}, "unknown option \"--handel\"; did you mean \"--handle\"?"},
  };
  for (const auto& [arguments, message] : cases) {
    SCOPED_TRACE(fmt::format("crumple sprite {}", fmt::join(arguments, " ")));
    expect_refusal(run(arguments), message);
    for (const char* left : {"out.glb", "out.fbx"}) EXPECT_FALSE(fs::exists(scratch / left)) << left;
  }
}

TEST_F(SpriteCommand, a_place_where_nothing_can_be_written_is_told_before_the_work) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"disc.png", "-o", "nowhere/out.glb"}, {"disc.png", "-o", "out.glb", "--picture", "nowhere/look.png"}}) {
    const Answer answer = run(arguments);
    EXPECT_EQ(answer.code, 1);
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
    EXPECT_NE(answer.err.find("there is no folder nowhere"), std::string::npos) << answer.err;
    for (const char* left : {"out.glb", "nowhere"}) EXPECT_FALSE(fs::exists(scratch / left)) << left;
  }
}

TEST_F(SpriteCommand, hostile_files_are_refused_with_little_memory) {
  std::string many = "<svg viewBox=\"0 0 4096 4096\">";
  for (int i = 0; i < 5000; ++i) many += "<g id=\"layer-a\"><rect width=\"9\" height=\"9\"/></g>";
  write_text(scratch / "many.svg", many + "</svg>");
  std::string laughs = "<!DOCTYPE svg [<!ENTITY a \"ha\">";
  for (char c = 'b'; c < 'z'; ++c) laughs += fmt::format("<!ENTITY {0} \"&{1};&{1};&{1};&{1};&{1};&{1};&{1};&{1};&{1};&{1};\">", c, static_cast<char>(c - 1));
  write_text(scratch / "laughs.svg", laughs + "]><svg viewBox=\"0 0 1 1\"><title>&y;</title></svg>");
  Surroundings small;
  small.memory = 1500 * kMegabyte, small.cpu_seconds = 5;
  expect_refusal(run({"many.svg", "-o", "out.glb"}, small), "many.svg: 5000 layers are too many; at most 64");
  expect_refusal(run({"laughs.svg", "-o", "out.glb"}, small), "laughs.svg:1: declares entities");
}

/// The sprites of the project are what the program makes of their drawings and poses today.
TEST_F(SpriteCommand, makes_the_sprites_of_the_project) {
  if (!is_comparable()) GTEST_SKIP() << "they were made with other libraries";
  const fs::path drawings = fs::path(CRUMPLE_SOURCE_DIR) / "assets" / "drawings", sprites = fs::path(CRUMPLE_SOURCE_DIR) / "assets" / "sprites";
  int made = 0;
  for (const auto& entry : fs::directory_iterator(drawings)) {
    if (entry.path().extension() != ".svg") continue;
    const std::string name = entry.path().stem().string(), file = name + ".glb";
    ASSERT_EQ(run({entry.path().string(), "-o", file}).code, 0) << name;
    ASSERT_EQ(run_program({"pose", file, "--pose", (drawings / (name + ".json")).string(), "--no-look"}, scratch.path(), scratch).code, 0) << name;
    EXPECT_TRUE(text_of(scratch / file) == text_of(sprites / file)) << name << ": make it anew with assets/sprites/make.sh";
    ++made;
  }
  EXPECT_GE(made, 17);
}

}  // namespace
}  // namespace crumple
