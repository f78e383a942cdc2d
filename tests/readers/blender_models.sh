#!/bin/sh
# A model made in Blender goes through Crumple and back into Blender: blender_models.sh SOURCE FOLDER PROGRAM.
# Answers 77 (skipped) where Blender or numpy is not installed.
set -e
command -v blender >/dev/null || { echo "Blender is not installed (apt-get install blender python3-numpy)"; exit 77; }
/usr/bin/python3 -c "import numpy" 2>/dev/null || { echo "python3-numpy is not installed"; exit 77; }
rm -rf "$2"
mkdir -p "$2"
cd "$2"
in_blender() {
  blender -b --factory-startup --python-exit-code 1 --python "$@" >blender.log 2>&1 || { cat blender.log; exit 1; }
  grep "^blender:" blender.log || true
}
in_blender "$1/blender_model.py" -- .
animations=""
for kind in glb obj keys; do
  mkdir "$kind"
  case "$kind" in
    keys) "$3" fit hydrant_keys.glb -o keys/hydrant.glb --quiet >keys/log ;;
    *)
      "$3" rig "hydrant.$kind" -o "$kind/hydrant.glb" --handle top=0,0.9,0 --handle foot=0,0,0 --handles 10 --cells 12 --quiet >"$kind/log"
      "$3" pose "$kind/hydrant.glb" --name crushed --move top=0.1,-0.3,0 --no-look >>"$kind/log" ;;
  esac
  # Blender writes "_GAIN" as "__GAIN"; .obj files hold no paint.
  [ "$kind" = obj ] || "$3" info "$kind/hydrant.glb" | grep -q "painted *gain  *factors from 1 to 2" || { echo "$kind: the paint is lost"; exit 1; }
  cat >"$kind/scene.json" <<'SCENE'
{"crumple": 1, "title": "from Blender", "fps": 25, "substeps": 8, "seconds": 0.8, "assets": {"hydrant": "hydrant.glb"}, "bodies": [
  {"name": "ground", "plane": [0, 1, 0, 0]},
  {"name": "hydrant", "asset": "hydrant", "at": [0, 0.05, 0], "density": 300, "examples": {"yield": 0.2, "gain": 500, "radius": 1}},
  {"name": "block", "box": [0.5, 0.4, 0.5], "at": [0.02, 1.5, 0], "velocity": [0, -7, 0], "density": 800}]}
SCENE
  "$3" run "$kind/scene.json" -o "$kind/rec" --quiet >>"$kind/log"
  for extension in glb pc2 mdd; do "$3" export "$kind/rec" -o "$kind/hydrant_out.$extension" --quiet >>"$kind/log"; done
  "$3" export "$kind/rec" -o "$kind/hydrant_out_last.obj" --quiet >>"$kind/log"
  "$3" export "$kind/rec" -o "$kind/hydrant_out_last.ply" --quiet >>"$kind/log"
  echo 0.0012 >"$kind/hydrant_out.limit"
  animations="$animations $kind/hydrant_out.glb"
done
in_blender "$1/blender.py" -- .
# shellcheck disable=SC2086
in_blender "$1/blender_back.py" -- hydrant.blend $animations
