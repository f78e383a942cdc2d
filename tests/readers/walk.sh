#!/bin/sh
# Real models go all the way to a picture of their damage: walk.sh SOURCE FOLDER PROGRAM [all | MODEL...]
# A textured box of Debian's assimp-testmodels and a racing car of trigger-rally-data; with "all" every model of these packages and of prusa-slicer
# that Crumple may read. Answers 77 (skipped) where none of them is installed.
set -e
source=$1 folder=$2 program=$3
shift 3
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
assimp=/usr/share/assimp/models cars=/usr/share/games/trigger-rally/data.zip shapes=/usr/share/PrusaSlicer/shapes
rm -rf "$folder"
mkdir -p "$folder"
if [ -f "$cars" ]; then
  python3 -c 'import sys, zipfile
pack = zipfile.ZipFile(sys.argv[1])
pack.extractall(sys.argv[2], [n for n in pack.namelist() if n.startswith("vehicles/")])' "$cars" "$folder"
fi
if [ "$1" = all ]; then
  set -- $(find "$assimp" "$folder/vehicles" "$shapes" \( -iname '*.obj' -o -iname '*.ply' -o -iname '*.stl' -o -iname '*.glb' -o -iname '*.gltf' \) 2>/dev/null | grep -v ' ' | sort)
elif [ $# = 0 ]; then
  for model in "$assimp/glTF2/BoxTextured-glTF-Binary/BoxTextured.glb" "$folder/vehicles/evo_wrc/evo_wrc.obj"; do
    [ ! -f "$model" ] || set -- "$@" "$model"
  done
fi
[ $# -gt 0 ] || { echo "no models are installed (apt-get install assimp-testmodels trigger-rally-data)"; exit 77; }
exec python3 "$source/walk.py" "$program" "$folder/walk" "$@"
