# Draws one frame of an exported animation in Blender, through the camera and with the sun that came with it.
#   blender -b --factory-startup --python blender_picture.py -- ANIMATION.glb FRAME PICTURE.png
import os
import sys

import numpy

numpy.bool = bool  # Blender 3.4's importer asks for a name that Debian's numpy has no more
import bpy

animation, frame, picture = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 25
bpy.ops.import_scene.gltf(filepath=os.path.abspath(animation))
scene.frame_set(int(frame))
scene.camera = next(thing for thing in bpy.data.objects if thing.type == "CAMERA")
scene.world = bpy.data.worlds.new("sky")
scene.world.use_nodes = True
scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.5
scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.8, 0.9, 1, 1)
scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 48, False
scene.view_settings.view_transform = "Standard"
scene.render.resolution_x, scene.render.resolution_y = 480, 320
scene.render.filepath = os.path.abspath(picture)
bpy.ops.render.render(write_still=True)
os._exit(0 if os.path.exists(picture) else 1)
