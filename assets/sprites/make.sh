#!/bin/sh
# Makes all sprites from their drawings and poses. CRUMPLE names another program than bin/crumple; the first argument another folder than this one.
set -e
cd "$(dirname "$0")/.."
crumple=${CRUMPLE:-../bin/crumple}
to=${1:-sprites}
for drawing in drawings/*.svg; do
  name=$(basename "$drawing" .svg)
  "$crumple" sprite "$drawing" -o "$to/$name.glb" > /dev/null
  "$crumple" pose "$to/$name.glb" --pose "drawings/$name.json" --no-look > /dev/null
done
