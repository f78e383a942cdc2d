# Makes a model in Blender as an artist would: two materials, a picture, texture coordinates, colours, sharp rims, a painted attribute, a shape key.
#   blender -b --factory-startup --python blender_model.py -- FOLDER
# Leaves hydrant.glb, .obj, .ply, hydrant_keys.glb with the shape key, and hydrant.blend.
import math
import os
import sys

import numpy

numpy.bool = bool  # Blender 3.4's glTF add-on asks for a name that Debian's numpy has no more
import bmesh
import bpy

SIDE = 8  # pixels of a field of the picture
folder = os.path.abspath(sys.argv[sys.argv.index("--") + 1])


def four_fields():
    """A picture of two by two fields: red, green, blue, white."""
    image = bpy.data.images.new("four fields", 2 * SIDE, 2 * SIDE)
    colors = [[(0.05, 0.05, 0.85), (0.95, 0.95, 0.95)], [(0.85, 0.05, 0.05), (0.05, 0.75, 0.05)]]  # from below
    image.pixels = [c for y in range(2 * SIDE) for x in range(2 * SIDE) for c in (*colors[y // SIDE][x // SIDE], 1.0)]
    image.filepath_raw, image.file_format = os.path.join(folder, "four_fields.png"), "PNG"
    image.save()
    return image


def textured(name, image):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    surface = nodes["Principled BSDF"]
    surface.inputs["Metallic"].default_value, surface.inputs["Roughness"].default_value = 0.25, 0.5
    texture = nodes.new("ShaderNodeTexImage")
    texture.image = image
    links.new(texture.outputs["Color"], surface.inputs["Base Color"])
    return material


def plain(name, color):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    surface = material.node_tree.nodes["Principled BSDF"]
    surface.inputs["Base Color"].default_value = (*color, 1)
    surface.inputs["Roughness"].default_value = 0.8
    return material


def hydrant():
    """A post with a cap: round, smooth, with sharp rims. z up, 0.9 m high, standing at the origin."""
    mesh, shape = bpy.data.meshes.new("hydrant"), bmesh.new()
    bmesh.ops.create_cone(shape, cap_ends=True, segments=24, radius1=0.2, radius2=0.2, depth=0.8)
    bmesh.ops.subdivide_edges(shape, edges=[e for e in shape.edges if abs(e.verts[0].co.z - e.verts[1].co.z) > 0.5], cuts=11)
    bmesh.ops.poke(shape, faces=[f for f in shape.faces if abs(f.normal.z) > 0.9])
    bmesh.ops.translate(shape, verts=shape.verts, vec=(0, 0, 0.4))
    for vertex in shape.verts:
        if vertex.co.z > 0.79 and math.hypot(vertex.co.x, vertex.co.y) < 0.01:
            vertex.co.z = 0.9
    uvs = shape.loops.layers.uv.new("map")
    for face in shape.faces:
        middle = face.calc_center_median()
        side = math.atan2(middle.y, middle.x)
        for corner in face.loops:
            angle = math.atan2(corner.vert.co.y, corner.vert.co.x)
            while angle - side > math.pi:
                angle -= 2 * math.pi
            while angle - side < -math.pi:
                angle += 2 * math.pi
            corner[uvs].uv = ((angle / math.pi + 1) % 2.0001, corner.vert.co.z / 0.45)
    shape.to_mesh(mesh)
    shape.free()
    for face in mesh.polygons:
        face.use_smooth = True
        face.material_index = 1 if face.center.z > 0.801 else 0
    mesh.use_auto_smooth, mesh.auto_smooth_angle = True, math.radians(50)
    gain = mesh.attributes.new("_GAIN", "FLOAT", "POINT")
    colors = mesh.color_attributes.new("Color", "FLOAT_COLOR", "POINT")
    for vertex in mesh.vertices:
        gain.data[vertex.index].value = 2.0 if vertex.co.z > 0.5 else 1.0
        colors.data[vertex.index].color = (1, 1 - 0.5 * vertex.co.z, 1, 1)
    mesh.materials.append(textured("painted", four_fields()))
    mesh.materials.append(plain("cap", (0.8, 0.6, 0.05)))
    thing = bpy.data.objects.new("hydrant", mesh)
    bpy.context.collection.objects.link(thing)
    return thing


def add_crushed(thing):
    """A shape key: the upper half is pushed down and to the side."""
    thing.shape_key_add(name="Basis")
    crushed = thing.shape_key_add(name="crushed")
    for vertex, key in zip(thing.data.vertices, crushed.data):
        share = max(0.0, vertex.co.z - 0.2) / 0.7
        key.co = (vertex.co.x + 0.1 * share * share, vertex.co.y, vertex.co.z - 0.35 * share)


bpy.ops.wm.read_factory_settings(use_empty=True)
thing = hydrant()
bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "hydrant.blend"))
bpy.context.view_layer.objects.active = thing
thing.select_set(True)
bpy.ops.export_scene.gltf(filepath=os.path.join(folder, "hydrant.glb"), export_attributes=True, export_colors=True)
bpy.ops.export_scene.obj(filepath=os.path.join(folder, "hydrant.obj"), path_mode="COPY", use_triangles=True, axis_forward="-Z", axis_up="Y")
bpy.ops.export_mesh.ply(filepath=os.path.join(folder, "hydrant.ply"), axis_forward="-Z", axis_up="Y")
add_crushed(thing)
bpy.ops.export_scene.gltf(filepath=os.path.join(folder, "hydrant_keys.glb"), export_attributes=True, export_colors=True)
sys.stdout.flush()
os._exit(0 if os.path.exists(os.path.join(folder, "hydrant_keys.glb")) else 1)
