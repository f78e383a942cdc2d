# Compares an animation made from the model of blender_model.py with that model, in Blender: texture coordinates, normals, materials, pictures.
#   blender -b --factory-startup --python blender_back.py -- MODEL.blend ANIMATION.glb...
# In the first frame the model stands upright and is whole.
import os
import sys

import numpy

numpy.bool = bool
import bpy

kNormal = numpy.cos(numpy.radians(1))
failures = []


def corners(thing):
    """Places, texture coordinates and normals of all corners, and the names of their materials."""
    mesh = thing.data
    mesh.calc_normals_split()
    count = len(mesh.loops)
    vertex, normals, uvs = numpy.empty(count, numpy.int32), numpy.empty(3 * count, numpy.float32), numpy.empty(2 * count, numpy.float32)
    mesh.loops.foreach_get("vertex_index", vertex)
    mesh.loops.foreach_get("normal", normals)
    mesh.uv_layers[0].data.foreach_get("uv", uvs)
    places = numpy.empty(3 * len(mesh.vertices), numpy.float32)
    mesh.vertices.foreach_get("co", places)
    matrix = numpy.array(thing.matrix_world)
    names = numpy.empty(count, object)
    for face in mesh.polygons:
        names[list(face.loop_indices)] = mesh.materials[face.material_index].name.split(".")[0]
    turn = matrix[:3, :3] / numpy.cbrt(numpy.linalg.det(matrix[:3, :3]))
    return places.reshape(-1, 3)[vertex] @ matrix[:3, :3].T, uvs.reshape(-1, 2), normals.reshape(-1, 3) @ turn.T, names


def pixels(material):
    for node in material.node_tree.nodes:
        if node.type == "TEX_IMAGE":
            return numpy.array(node.image.pixels[:])
    return None


def compare(model, animation):
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(model) as (there, here):
        here.objects = there.objects
    given = next(each for each in here.objects if each.type == "MESH")
    want = corners(given)
    picture = pixels(given.data.materials["painted"])
    bpy.ops.import_scene.gltf(filepath=animation)
    bpy.context.scene.frame_set(0)
    found = next(each for each in bpy.context.selected_objects if each.type == "MESH" and each.name.startswith("hydrant"))
    places, uvs, normals, names = corners(found)
    places = places + [0, 0, want[0][:, 2].min() - places[:, 2].min()]
    name = os.path.basename(animation)
    worst_uv, worst_turn, worst_place = 0.0, 1.0, 0.0
    for place, uv, normal, material in zip(places, uvs, normals, names):
        near = numpy.linalg.norm(want[0] - place, axis=1)
        same = numpy.flatnonzero((near < 1e-4) & (want[3] == material))
        if len(same) == 0:
            failures.append(f"{name}: no corner of material {material} at {place}")
            return
        # Of all corners there the one that fits: seams and rims have several.
        cost = numpy.linalg.norm(want[1][same] - uv, axis=1) + 1 - want[2][same] @ normal
        best = same[numpy.argmin(cost)]
        worst_place = max(worst_place, near[best])
        worst_uv = max(worst_uv, numpy.abs(want[1][best] - uv).max())
        worst_turn = min(worst_turn, float(want[2][best] @ normal) / float(numpy.linalg.norm(want[2][best]) * numpy.linalg.norm(normal)))
    print(f"blender: {name}: {len(places)} corners, worst place {1e3 * worst_place:.4f} mm, texture coordinate {worst_uv:.6f}, normal {numpy.degrees(numpy.arccos(min(1, worst_turn))):.3f} degrees")
    if worst_uv > 1e-3 or worst_turn < kNormal:
        failures.append(f"{name}: texture coordinates or normals are not those of the model")
    back = found.data.materials[0] if found.data.materials[0].name.startswith("painted") else found.data.materials[1]
    got = pixels(back)
    if got is None or got.shape != picture.shape or numpy.abs(got - picture).max() > 0.01:
        failures.append(f"{name}: the picture is not that of the model")


arguments = sys.argv[sys.argv.index("--") + 1:]
for animation in arguments[1:]:
    compare(arguments[0], animation)
for failure in failures:
    print("blender:", failure)
sys.stdout.flush()
os._exit(1 if failures else 0)
