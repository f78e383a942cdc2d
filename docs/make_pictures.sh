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
small() { convert "$1" -resize "$3" -strip -colors 256 PNG8:$images/$2; }

run loading_dock
run drum_pyramid
run blast
"$crumple" run docs/presets.json -o "$out/presets" --force --quiet
draw presets $out/presets.png --frame 80 --size 1280x560
small $out/presets.png presets.png 1280x
run pachinko "--frames 300-720"  # before that the drums are above the picture
draw loading_dock $images/loading_dock.png --sheet 3x3
draw drum_pyramid $images/drum_pyramid.png --sheet 3x3
draw pachinko $images/pachinko.png --sheet 3x3
draw blast $images/blast.png --sheet 3x3

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
model="assets/models/mailbox.obj --unit cm --up z"
"$crumple" doctor $model --picture $out/doctor.png
"$crumple" rig $model -o $out/mailbox.glb --handles 16 --cells 26 --picture $out/rig.png --quiet
"$crumple" pose $out/mailbox.glb --pose assets/models/mailbox_poses.json --picture $out/poses.png
"$crumple" shot $out/mailbox.glb -o $out/mailbox.json --force --kind ball --pin
"$crumple" demo $out/mailbox.json -o $out/mailbox --force --quiet
montage $out/doctor.png $out/rig.png -tile 2x1 -geometry 560x+4+4 $out/doctor_and_rig.png
small $out/doctor_and_rig.png authoring_rig.png 1136x
small $out/poses.png authoring_poses.png 1136x
small $out/mailbox/preview.png authoring_shot.png 1136x

# The gallery, docs/scenes.md: a sheet of each scene; beside it what the figures of the paper show.
gallery() { run $1; draw $1 $out/$1.png --sheet 3x3 --size 480x300 --samples 16; small $out/$1.png $1.png 1136x; }
pair() { file=$1; shift; montage "$@" -strip -tile 2x -geometry +4+4 $out/pair.png; small $out/pair.png $file 1136x; }
for scene in pileup car_hail car_hail_plain car_barrels shipyard space_battle bridge; do gallery $scene; done
for color in plain weights; do
  draw pileup $out/pileup_$color.png --frame 100 --color $color --size 720x440 --samples 32 --camera=3.0,4.4,12.5:0,2.1,0:38
  draw car_barrels $out/barrels_$color.png --frame 100 --color $color --size 720x440 --samples 32 --camera=4.9,3.4,6.0:4.0,0.7,0:40
  for scene in car_hail car_hail_plain; do draw $scene $out/hail_${scene}_$color.png --frame 230 --color $color --size 720x440 --samples 32 --camera=4.6,2.2,5.4:0.1,1.1,-0.4:40; done
done
# The second row of the README.
draw pileup $out/break_1.png --frame 62 --size 480x320 --samples 32 --camera=3.0,5.0,12.5:0,3.4,0:40
draw shipyard $out/break_2.png --frame 128 --size 480x320 --samples 32 --camera=-16,14,44:10,7.0,0:44
draw bridge $out/break_3.png --frame 92 --size 480x320 --samples 32 --camera=12,8,22:0,4,0:40
draw space_battle $out/break_4.png --frame 150 --size 480x320 --samples 32 --camera=30,18,60:-4,10,6:46
montage $out/break_[1-4].png -strip -tile 4x1 -geometry +4+4 $out/row_breaking.png
small $out/row_breaking.png row_breaking.png 1952x
for frame in 62 110; do draw pileup $out/hinges_$frame.png --frame $frame --size 720x440 --samples 32 --camera=1.5,4.2,9.5:-0.6,2.4,0:36; done
pair pileup_hinges.png $out/hinges_62.png $out/hinges_110.png
pair pileup_weights.png $out/pileup_plain.png $out/pileup_weights.png
pair car_barrels_weights.png $out/barrels_plain.png $out/barrels_weights.png
pair car_hail_examples.png $out/hail_car_hail_plain.png $out/hail_car_hail_plain_plain.png $out/hail_car_hail_weights.png $out/hail_car_hail_plain_weights.png

# Studies: one strip for each of these frames, nearer than the scene's own camera.
study() {
  name=study_$1; size=$2; camera=$3; shift 3; run $name; strips=""
  for frame in "$@"; do
    draw $name $out/${name}_$frame.png --frame $frame --size $size --camera=$camera --samples 32
    strips="$strips $out/${name}_$frame.png"
  done
  montage $strips -strip -tile 1x -geometry +3+3 $out/$name.png; small $out/$name.png $name.png 100%
}
study gain 840x230 0.9,1.75,8.6:0,0.46,0:9.5 90
study yield 840x230 0.9,1.75,8.6:0,0.46,0:9.5 90
study lag 760x200 0.9,1.75,8.6:0,0.46,0:9.2 9 16 40 120
study soften 640x300 0.9,2.1,8.6:0,0.9,0:13.5 20 46
study rule 640x260 0.9,1.6,6.4:0,0.46,0:10 90
study examples 760x240 0.9,1.65,7.4:0,0.46,0:10 90
study friction 560x240 1.2,1.7,5.2:0,0.42,0:13 11 90

# Scored bodies, whole and pulled apart.
"$crumple" score assets/sedan.glb -o $out/scored_sedan.glb --voronoi 12 --around 1.5,0.5,0,1.2 --picture $out/scored_sedan.png
"$crumple" score assets/crane.glb -o $out/scored_crane.glb --plane 0,1,0,8 --plane 1,0,0,3 --picture $out/scored_crane.png
for name in scored_sedan scored_crane; do small $out/$name.png $name.png 1240x; done

# Structures: a sheet of each scene, two of them by utilisation, and the row of the method's page.
for scene in charpy block_drop gate fence bridge_truck plate_ball crane_collapse paperclip signpost; do
  run $scene; draw $scene $out/$scene.png --sheet 3x3 --size 480x300 --samples 16; small $out/$scene.png joints_$scene.png 1136x
done
for scene in bridge_truck crane_collapse; do
  draw $scene $out/${scene}_utilisation.png --sheet 3x2 --size 480x300 --samples 16 --color utilisation; small $out/${scene}_utilisation.png joints_${scene}_utilisation.png 1136x
done
for color in plain utilisation; do
  draw crane_collapse $out/joints_${color}_1.png --frame 250 --color $color --size 480x320 --samples 32 --camera=12,8,27:4.5,8.2,0:42
  draw bridge_truck $out/joints_${color}_2.png --frame 290 --color $color --size 480x320 --samples 32 --camera=10,10,21:1.5,3.6,0:42
  draw fence $out/joints_${color}_3.png --frame 40 --color $color --size 480x320 --samples 32 --camera=6.5,3.4,6.5:0.6,0.7,-0.9:42
  draw plate_ball $out/joints_${color}_4.png --frame 96 --color $color --size 480x320 --samples 32 --camera=2.6,4.9,4.6:0,1.85,0:36
done
montage $out/joints_plain_[1-4].png $out/joints_utilisation_[1-4].png -strip -tile 4x2 -geometry +4+4 $out/joints_row.png
small $out/joints_row.png joints_row.png 1952x

# Soft bodies that tear.
for scene in twist_bar plate_projectile torn_figure broken_heart swiss_cheese ball_drop soft_stack soft_pour jelly_and_drum bar_convergence; do
  run $scene; draw $scene $out/$scene.png --sheet 3x2 --size 480x320 --samples 16; small $out/$scene.png clusters_$scene.png 1136x
done
for color in plain piece; do
  draw twist_bar $out/clusters_${color}_1.png --frame 655 --color $color --size 480x320 --samples 32 --camera=0.9,1.3,2.6:0,-0.05,-0.35:34
  draw plate_projectile $out/clusters_${color}_2.png --frame 27 --color $color --size 480x320 --samples 32 --camera=1.3,1.35,-3.2:0,0.9,0.2:38
  draw torn_figure $out/clusters_${color}_3.png --frame 200 --color $color --size 480x320 --samples 32 --camera=0.6,1.3,2.2:0,1,0:32
  draw broken_heart $out/clusters_${color}_4.png --frame 110 --color $color --size 480x320 --samples 32 --camera=0.25,0.65,1.3:0,0.48,0:32
  draw swiss_cheese $out/clusters_${color}_5.png --frame 84 --color $color --size 480x320 --samples 32 --camera=0.3,0.55,1:0,0.26,0:36
  draw ball_drop $out/clusters_${color}_6.png --frame 40 --color $color --size 480x320 --samples 32 --camera=0.5,0.9,2.4:0,0.3,0:36
done
montage $out/clusters_plain_[1-6].png $out/clusters_piece_[1-6].png -strip -tile 6x2 -geometry 400x267+3+3 $out/clusters_row.png
small $out/clusters_row.png clusters_row.png 1952x
draw twist_bar $out/clusters_strain.png --frame 655 --color strain --size 480x320 --samples 32 --camera=0.9,1.3,2.6:0,-0.05,-0.35:34
draw twist_bar $out/clusters_balls.png --frame 655 --color cluster --particles --size 480x320 --samples 32 --camera=0.9,1.3,2.6:0,-0.05,-0.35:34
montage $out/clusters_plain_1.png $out/clusters_piece_1.png $out/clusters_strain.png $out/clusters_balls.png -strip -tile 4x1 -geometry +4+4 $out/clusters_views.png
small $out/clusters_views.png clusters_views.png 1952x

# Dents: the scenes, the views of one print, and a hailed car with and without them.
for scene in bunny_block dent_angles dent_softness wall_ball steel_door hailstorm; do run $scene; done
draw bunny_block $out/bunny_1.png --frame 8 --size 640x440 --samples 32
draw bunny_block $out/bunny_2.png --frame 60 --size 640x440 --samples 32
draw bunny_block $out/bunny_3.png --frame 60 --size 640x440 --samples 32 --color depth
montage $out/bunny_[1-3].png -strip -tile 3x1 -geometry +4+4 $out/bunny_block.png; small $out/bunny_block.png bunny_block.png 1500x
draw dent_angles $out/angles.png --frame 40 --size 1100x420 --samples 32; small $out/angles.png dent_angles.png 1100x
draw dent_softness $out/softness.png --frame 28 --size 1100x620 --samples 32; small $out/softness.png dent_softness.png 1100x
draw steel_door $out/steel_door.png --sheet 3x2 --size 480x320 --samples 16; small $out/steel_door.png steel_door.png 1136x
draw wall_ball $out/wall_ball.png --sheet 3x2 --size 480x320 --samples 16; small $out/wall_ball.png wall_ball.png 1136x
draw hailstorm $out/hailstorm.png --sheet 2x2 --size 640x420 --samples 16; small $out/hailstorm.png hailstorm.png 1136x
draw hailstorm $out/hail_near.png --frame 190 --size 1100x640 --samples 32 --camera=-0.2,2.6,3.6:-2.4,0.8,0.2:40; small $out/hail_near.png hailstorm_near.png 1100x
"$crumple" run scenes/car_hail.json -o $out/car_hail_dents --force --quiet --frames 0-150 --set '/bodies/sedan/dents={"depth": 0.0012, "threshold": 4, "softness": 0.12}'
"$crumple" run scenes/car_hail.json -o $out/car_hail_only --force --quiet --frames 0-150 --set '/bodies/sedan/dents={"depth": 0.0018, "threshold": 4, "softness": 0.12}' --set '/bodies/sedan/examples/gain=0'
for name in car_hail car_hail_only car_hail_dents; do draw $name $out/both_$name.png --frame 148 --size 640x440 --samples 32 --camera=3.4,2.3,3.8:0.3,0.85,0:38; done
montage $out/both_car_hail.png $out/both_car_hail_only.png $out/both_car_hail_dents.png -strip -tile 3x1 -geometry +4+4 $out/dents_and_examples.png; small $out/dents_and_examples.png dents_and_examples.png 1500x

# Points.
for scene in plastic_bar_drop twist_shear_bar drop_on_bar drop_on_spheres mixed_density crushed_bird hot_ingot; do
  run $scene
  draw $scene $out/$scene.png --sheet 3x2 --size 480x320 --samples 16; small $out/$scene.png $scene.png 1136x
done
draw plastic_bar_drop $images/volume_plastic_bar_drop.svg --plot volume

# Sprites.
for scene in bouncing_ball platforms catapult_puzzle walker floating_ragdoll cannon_ragdoll; do run $scene; done
draw bouncing_ball $out/bouncing_ball.png --sheet 5x3 --size 400x225
draw walker $out/walker.png --sheet 5x3 --size 400x225
draw platforms $out/platforms.png --sheet 4x4 --size 400x225
draw catapult_puzzle $out/catapult_puzzle.png --sheet 4x3 --size 400x225
draw floating_ragdoll $out/floating_ragdoll.png --sheet 4x3 --size 400x225
draw cannon_ragdoll $out/cannon_ragdoll.png --sheet 4x2 --size 480x400
for scene in bouncing_ball platforms catapult_puzzle walker floating_ragdoll cannon_ragdoll; do small $out/$scene.png $scene.png 1136x; done
"$crumple" sprite assets/drawings/figure.svg -o $out/figure.glb --picture $out/figure.png > /dev/null
"$crumple" pose $out/figure.glb --pose assets/drawings/figure.json --picture $out/figure_poses.png > /dev/null
montage $out/figure.png $out/figure_poses.png -strip -tile 2x1 -geometry x560+4+4 $out/sprite_figure.png; small $out/sprite_figure.png sprite_figure.png 1136x
draw bouncing_ball $out/sprites_1.png --frame 46 --size 480x320 --camera=0,1.5,10:0,1.5,0:23
draw platforms $out/sprites_2.png --frame 235 --size 480x320 --camera=-0.6,1,10:-0.6,1,0:20
draw walker $out/sprites_3.png --frame 124 --size 480x320 --camera=-1.2,1.5,10:-1.2,1.5,0:20
draw floating_ragdoll $out/sprites_4.png --frame 420 --size 480x320 --camera=3.9,1.1,10:3.9,1.1,0:17
montage $out/sprites_[1-4].png -strip -tile 4x1 -geometry +4+4 $out/sprites_row.png; small $out/sprites_row.png sprites_row.png 1500x

# Bends.
for scene in plank_ball street_sign rebar_cage arm_hit jacks; do run $scene; done
for scene in plank_ball street_sign rebar_cage; do draw $scene $out/$scene.png --sheet 3x2 --size 480x320 --samples 16; small $out/$scene.png $scene.png 1136x; done
draw arm_hit $out/arm_1.png --frame 4 --size 480x400 --samples 32
draw arm_hit $out/arm_2.png --frame 22 --size 480x400 --samples 32 --color bend
draw arm_hit $out/arm_3.png --frame 150 --size 480x400 --samples 32
montage $out/arm_[1-3].png -strip -tile 3x1 -geometry +4+4 $out/arm_hit.png; small $out/arm_hit.png arm_hit.png 1136x
draw jacks $out/jacks_1.png --frame 16 --size 640x420 --samples 32
draw jacks $out/jacks_2.png --frame 120 --size 640x420 --samples 32
draw jacks $out/jacks_3.png --frame 120 --size 640x420 --samples 32 --camera=2.6,1.9,4.4:0.6,0.4,1.6:34
draw jacks $out/jacks_4.png --frame 120 --size 640x420 --samples 32 --camera=2.6,1.9,4.4:0.6,0.4,1.6:34 --color bend
montage $out/jacks_[1-4].png -strip -tile 2x2 -geometry +4+4 $out/jacks.png; small $out/jacks.png jacks.png 1136x

# A post from Blender and back, drawn by both. The pictures stay as they are where Blender is not installed.
if sh tests/readers/blender_models.sh "$PWD/tests/readers" "$out/blender" "$(readlink -f "$crumple")" >/dev/null; then
  blender -b --factory-startup --python-exit-code 1 --python docs/blender_picture.py -- $out/blender/glb/hydrant_out.glb 19 $out/from_blender.png >/dev/null
  "$crumple" render $out/blender/glb/rec -o $out/from_crumple.png --frame 19 --size 480x320 --quiet
  montage $out/from_blender.png $out/from_crumple.png -strip -depth 8 -define png:exclude-chunk=date,time,tIME -tile 2x1 -geometry +4+4 PNG24:$images/blender_and_crumple.png
fi
