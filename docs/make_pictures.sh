#!/bin/sh
# Makes the pictures of the docs anew: runs the scenes, renders them, puts tiles together. Takes a few minutes on 2 cores.
# Needs `montage` (Debian package imagemagick). Recordings go to out/docs. CRUMPLE names another program than bin/crumple.
set -e
cd "$(dirname "$0")/.."
crumple=${CRUMPLE:-bin/crumple}
out=out/docs
images=docs/images
mkdir -p "$out" "$images"

run() { "$crumple" run "scenes/$1.json" -o "$out/$1" --force --quiet $2; }
draw() { name=$1; file=$2; shift 2; "$crumple" render "$out/$name" -o "$file" --quiet "$@"; }

run loading_dock
run drum_pyramid
run pachinko "--frames 300-720"  # before that the drums are above the picture
draw loading_dock $images/loading_dock.png --sheet 3x3
draw drum_pyramid $images/drum_pyramid.png --sheet 3x3
draw pachinko $images/pachinko.png --sheet 3x3

# The first row of the README.
heap=1.9,2.0,5.2:1.75,0.6,-0.2:23
draw loading_dock $out/row_1.png --frame 38 --size 480x320 --samples 32 --camera=-3.2,2.6,2.6:0.15,1.75,0.35:30
draw drum_pyramid $out/row_2.png --frame 96 --size 480x320 --samples 32 --camera=-2.5,3.2,7.0:0.2,1.3,0:34
draw pachinko $out/row_3.png --frame 720 --size 480x320 --samples 32 --camera=$heap
draw pachinko $out/row_4.png --frame 720 --size 480x320 --samples 32 --camera=$heap --color weights
montage $out/row_[1-4].png -strip -depth 8 -define png:exclude-chunk=date,time,tIME -tile 4x1 -geometry +4+4 PNG24:$images/row.png

# The same heap twice: as it looks, and by example weights.
for color in plain weights; do
  draw pachinko $out/heap_$color.png --frame 720 --color $color --size 960x330 --samples 32 --camera=1.2,2.0,5.2:0.9,0.45,-0.2:26
done
montage $out/heap_plain.png $out/heap_weights.png -strip -depth 8 -define png:exclude-chunk=date,time,tIME -tile 1x2 -geometry +4+4 PNG24:$images/weights.png

# The study of the radius.
set --
for study in "dent 0.2" "narrow 0.35" "medium 0.6" "wide 1" "whole 3"; do
  name=radius_${study% *}
  run $name
  draw $name $out/$name.png --frame 120 --size 480x360 --samples 32
  set -- "$@" -label "${study#* } m" $out/$name.png
done
montage -background '#fafaf8' -pointsize 15 "$@" -strip -depth 8 -define png:exclude-chunk=date,time,tIME -tile 5x1 -geometry 320x240+4+4 PNG24:$images/radius_study.png

# Painted strength: before and after.
run painted_drum
for frame in 2 90; do draw painted_drum $out/painted_$frame.png --frame $frame --size 720x480 --samples 32; done
montage $out/painted_2.png $out/painted_90.png -strip -depth 8 -define png:exclude-chunk=date,time,tIME -tile 2x1 -geometry +4+4 PNG24:$images/painted_drum.png

# The five commands of the page about authoring.
small() { convert "$1" -resize "$3" -strip -colors 256 PNG8:$images/$2; }
model="assets/models/mailbox.obj --unit cm --up z"
"$crumple" doctor $model --look $out/doctor.png
"$crumple" rig $model -o $out/mailbox.glb --handles 16 --cells 26 --look $out/rig.png --quiet
"$crumple" pose $out/mailbox.glb --pose assets/models/mailbox_poses.json --look $out/poses.png
"$crumple" shot $out/mailbox.glb -o $out/mailbox.json --kind ball --pin
"$crumple" demo $out/mailbox.json -o $out/mailbox --quiet
montage $out/doctor.png $out/rig.png -tile 2x1 -geometry 560x+4+4 $out/doctor_and_rig.png
small $out/doctor_and_rig.png authoring_rig.png 1136x
small $out/poses.png authoring_poses.png 1136x
small $out/mailbox/preview.png authoring_shot.png 1136x
