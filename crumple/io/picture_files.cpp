#include "crumple/io/picture_files.h"

#include <cctype>

#include <fmt/format.h>

#include "crumple/io/files.h"

namespace crumple::io {

std::string unique_name(const std::string& wanted, std::set<std::string>& used) {
  std::string name;
  for (const char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 128 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(0, "_");
  std::string tried = name;
  for (int k = 2; !used.insert(tried).second; ++k) tried = fmt::format("{}_{}", name, k);
  return tried;
}

std::string PictureFiles::add(const TextureImage& image) {
  const auto [place, is_new] = files_.try_emplace(&image);
  if (is_new) place->second = unique_name(image.name.empty() ? "image" : image.name, names_) + (image.mime == "image/jpeg" ? ".jpg" : ".png");
  return folder_.filename().string() + "/" + place->second;
}

Result<void> PictureFiles::write() const {
  if (files_.empty()) return {};
  if (Result<void> made = make_folder(folder_); !made) return made;
  for (const auto& [image, name] : files_) {
    if (Result<void> written = write_if_changed(folder_ / name, image->bytes); !written) return written;
  }
  return {};
}

}  // namespace crumple::io
