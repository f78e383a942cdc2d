# make demo   builds, simulates the loading dock, leaves pictures and an animation in out/loading_dock
# make test   builds and runs all tests
# make build  leaves the program at bin/crumple
# make asan   the tests under address and undefined-behaviour sanitizers; make tsan under the thread sanitizer
.PHONY: all build demo test asan tsan packages assets clean
all: build

packages:
	@sh cmake/packages.sh

build: packages
	@test -d build/release || echo "The first build takes about 5 minutes on 2 cores."
	@cmake --preset release
	@cmake --build --preset release --target crumple-cli
	@mkdir -p bin && ln -sf ../build/release/bin/crumple bin/crumple

demo: build
	@bin/crumple demo --force scenes/loading_dock.json

test: build
	@cmake --build --preset release
	@ctest --preset release

asan tsan: packages
	@cmake --preset $@
	@cmake --build --preset $@
	@ctest --preset $@

assets: build
	@cmake --build --preset release --target crumple-assets
	@build/release/bin/crumple-assets assets
	@sh assets/sprites/make.sh

clean:
	rm -rf build bin
