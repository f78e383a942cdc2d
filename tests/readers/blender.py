# Imports exported files into Blender and compares every vertex of every frame with a point cache of the same frames.
#   blender -b --factory-startup --python blender.py -- FOLDER
# FOLDER holds NAME.glb, NAME.pc2, NAME.mdd, NAME.obj and NAME.limit (metres that a vertex of the .glb may be off).
import glob
import json
import os
import struct
import sys

import numpy

numpy.bool = bool  # Blender 3.4's importer asks for a name that Debian's numpy has no more
import bpy

failures = []


def read_pc2(file):
    data = open(file, "rb").read()
    vertices, frames = struct.unpack_from("<i", data, 16)[0], struct.unpack_from("<i", data, 28)[0]
    return numpy.frombuffer(data, "<f4", 3 * vertices * frames, 32).reshape(frames, vertices, 3)


def to_blender(points):
    """y up becomes z up."""
    return numpy.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)


def clear():
    bpy.ops.wm.read_factory_settings(use_empty=True)


def evaluated(objects):
    graph = bpy.context.evaluated_depsgraph_get()
    places = []
    for each in objects:
        mesh = each.evaluated_get(graph).to_mesh()
        points = numpy.empty(3 * len(mesh.vertices), numpy.float32)
        mesh.vertices.foreach_get("co", points)
        matrix = numpy.array(each.evaluated_get(graph).matrix_world)
        places.append(points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
        each.evaluated_get(graph).to_mesh_clear()
    return places


def glb_vertices(file):
    """For each node with a mesh: its name and the numbers of the vertices that the importer makes, in its order."""
    data = open(file, "rb").read()
    length = struct.unpack_from("<I", data, 12)[0]
    document, binary = json.loads(data[20:20 + length]), data[28 + length:]

    def indices(accessor):
        a = document["accessors"][accessor]
        view = document["bufferViews"][a["bufferView"]]
        kind = {5121: "<u1", 5123: "<u2", 5125: "<u4"}[a["componentType"]]
        return numpy.frombuffer(binary, kind, a["count"], view.get("byteOffset", 0) + a.get("byteOffset", 0))

    nodes, first = [], 0
    for node in document["nodes"]:
        if "mesh" not in node:
            continue
        primitives = document["meshes"][node["mesh"]]["primitives"]
        used = [numpy.unique(indices(p["indices"])).astype(numpy.int64) for p in primitives]
        nodes.append((node["name"], first + numpy.concatenate(used)))
        first += document["accessors"][primitives[0]["attributes"]["POSITION"]]["count"]
    return nodes, document["scenes"][0]["extras"]["fps"]


def check_glb(name, truth, limit):
    clear()
    nodes, fps = glb_vertices(name + ".glb")
    bpy.context.scene.render.fps = round(fps)
    bpy.ops.import_scene.gltf(filepath=name + ".glb")
    objects = [bpy.data.objects[node] for node, _ in nodes]
    worst = 0.0
    for frame in range(len(truth)):
        bpy.context.scene.frame_set(frame)
        for places, each, (_, vertices) in zip(evaluated(objects), objects, nodes):
            if abs(each.matrix_world.to_scale().x) < 1e-9:
                continue
            worst = max(worst, numpy.abs(numpy.linalg.norm(places - to_blender(truth[frame][vertices]), axis=1)).max())
    report(name + ".glb", worst, limit)
    if not bpy.data.materials or any(m.name.startswith("Material") for m in bpy.data.materials):
        failures.append(f"{name}.glb: its materials have lost their names")
    if not bpy.data.cameras or not bpy.data.lights:
        failures.append(f"{name}.glb: camera or light are missing")


def check_cache(name, truth, extension):
    clear()
    bpy.ops.import_scene.obj(filepath=name + ".obj", use_split_objects=False, use_split_groups=False, split_mode="OFF", axis_forward="-Z", axis_up="Y")
    thing = bpy.context.selected_objects[0]
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = {".pc2": "PC2", ".mdd": "MDD"}[extension]
    cache.filepath = name + extension
    cache.frame_start = 0
    worst = 0.0
    for frame in range(len(truth)):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        mesh = thing.evaluated_get(graph).to_mesh()
        points = numpy.empty(3 * len(mesh.vertices), numpy.float32)
        mesh.vertices.foreach_get("co", points)
        turn = numpy.array(thing.matrix_world)[:3, :3]
        worst = max(worst, numpy.linalg.norm(points.reshape(-1, 3) @ turn.T - to_blender(truth[frame]), axis=1).max())
        thing.evaluated_get(graph).to_mesh_clear()
    report(name + extension, worst, 1e-5)


def check_mesh(file, truth):
    """One frame as a mesh: every vertex is that of the cache."""
    clear()
    if file.endswith(".ply"):
        bpy.ops.import_mesh.ply(filepath=file)
        turned = truth
    else:
        bpy.ops.import_scene.obj(filepath=file, use_split_objects=False, use_split_groups=False, split_mode="OFF", axis_forward="-Z", axis_up="Y")
        turned = to_blender(truth)
    places = evaluated(bpy.context.selected_objects)[0]
    report(file, numpy.linalg.norm(places - turned, axis=1).max(), 1e-5)


def report(file, worst, limit):
    print(f"blender: {os.path.basename(file)}: worst vertex {1e3 * worst:.4f} mm")
    if not worst <= limit:
        failures.append(f"{file}: a vertex is {1e3 * worst:.4f} mm from its place, more than {1e3 * limit:.4f} mm")


folder = sys.argv[sys.argv.index("--") + 1]
names = [f[:-6] for f in sorted(glob.glob(os.path.join(folder, "**", "*.limit"), recursive=True))]
for name in names:
    truth = read_pc2(name + ".pc2")
    try:
        check_glb(name, truth, float(open(name + ".limit").read()))
        for extension in (".pc2", ".mdd"):
            check_cache(name, truth, extension)
        for file in sorted(glob.glob(name + "_last.obj") + glob.glob(name + "_last.ply")):
            check_mesh(file, truth[-1])
    except Exception as error:
        failures.append(f"{name}: {error}")
print(f"blender: {len(names)} animations compared")
for failure in failures:
    print("blender:", failure)
sys.stdout.flush()
os._exit(1 if failures or not names else 0)
