#!/bin/sh
# Lets Blender compare exported files with what was simulated: blender.sh SOURCE EXPORTS. Answers 77 (skipped) where Blender or numpy is not installed.
command -v blender >/dev/null || { echo "Blender is not installed (apt-get install blender python3-numpy)"; exit 77; }
python3 -c "import numpy" 2>/dev/null || /usr/bin/python3 -c "import numpy" 2>/dev/null || { echo "python3-numpy is not installed"; exit 77; }
[ -n "$(find "$2" -name '*.limit' 2>/dev/null | head -1)" ] || { echo "the tests that export come first"; exit 77; }
exec blender -b --factory-startup --python-exit-code 1 --python "$1/blender.py" -- "$2"
