# Every library Crumple uses, all from Debian 12 packages (see packages.txt).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)  # MPL2: vectors and matrices
find_package(fmt 9 REQUIRED)                 # MIT: text
find_package(PNG REQUIRED)                   # libpng licence: pictures
find_package(JPEG REQUIRED)                  # IJG and BSD: textures
find_package(EXPAT REQUIRED)                 # MIT: drawings in SVG
find_package(embree 3 REQUIRED)              # Apache 2: ray tracing
find_package(meshoptimizer REQUIRED)         # MIT: compressed glTF
find_package(OpenEXR REQUIRED)               # BSD: pictures of numbers
pkg_check_modules(DRACO REQUIRED IMPORTED_TARGET draco)            # Apache 2: compressed glTF
pkg_check_modules(BULLET REQUIRED IMPORTED_TARGET bullet-float64)  # zlib: rigid bodies in double precision
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)           # BSD: recordings
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)       # BSD: checksums and fingerprints

# Headers of libraries are not ours to warn about.
foreach(library PkgConfig::BULLET)
  get_target_property(folders ${library} INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(${library} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${folders}")
endforeach()
