# Takes models of others all the way from their file to a sheet of what hit them, as an artist would: doctor, rig with what the doctor advises, the pose that
# rig proposes, info, score, shot, run and a sheet. Checks that each ends well and that the model is seen, in its own colours, and damaged.
#   walk.py PROGRAM FOLDER MODEL...
import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import time
import zlib

PROGRAM, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
LONGEST = 300  # seconds for a command
Z_UP = re.compile(r"vehicles/|PrusaSlicer")  # where z points up, which no file says


class Failed(Exception):
    pass


def crumple(words, folder, may_refuse=False):
    done = subprocess.run(["crumple"] + words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=LONGEST)
    if done.returncode == 0 or (may_refuse and done.returncode == 2):
        return done
    raise Failed("crumple %s: exit %d: %s" % (shlex.join(words), done.returncode, (done.stderr + done.stdout).strip()[-400:]))


def pixels(file):
    """Rows of bytes of a PNG of 8 bits, and how many bytes a pixel has."""
    data = open(file, "rb").read()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and kind in (2, 6), file
    at, packed = 8, b""
    while at < len(data):
        length = struct.unpack(">I", data[at:at + 4])[0]
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    raw, step = zlib.decompress(packed), {2: 3, 6: 4}[kind]
    rows, before = [], bytearray(width * step)
    for y in range(height):
        first = y * (width * step + 1)
        how, row = raw[first], bytearray(raw[first + 1:first + 1 + width * step])
        for x in range(len(row)):
            left, up, corner = (row[x - step] if x >= step else 0), before[x], (before[x - step] if x >= step else 0)
            if how == 1:
                row[x] = (row[x] + left) & 255
            elif how == 2:
                row[x] = (row[x] + up) & 255
            elif how == 3:
                row[x] = (row[x] + (left + up) // 2) & 255
            elif how == 4:
                guess = left + up - corner
                row[x] = (row[x] + min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]) & 255
        rows.append(row)
        before = row
    return rows, step


def body_pixels(plain, marked):
    """Colours of the pixels that look otherwise where bodies are drawn by their weights: those of the model. The share of the picture that they are."""
    (rows, step), (others, other_step) = pixels(plain), pixels(marked)
    found, count = [], 0
    for row, other in zip(rows, others):
        for x in range(len(row) // step):
            color, marked_color = row[x * step:x * step + 3], other[x * other_step:x * other_step + 3]
            count += 1
            if max(abs(a - b) for a, b in zip(color, marked_color)) > 12:
                found.append(tuple(color))
    return found, len(found) / count


def variety(colors):
    """How far colours are from one grey: the greater of their mean saturation and their spread, from 0 to 255."""
    if not colors:
        return 0
    saturation = sum(max(c) - min(c) for c in colors) / len(colors)
    middle = [sum(c[k] for c in colors) / len(colors) for k in range(3)]
    spread = (sum(sum((c[k] - middle[k])**2 for k in range(3)) for c in colors) / (3 * len(colors)))**0.5
    return max(saturation, spread)


def advice(notes):
    """Options that the doctor names."""
    options = []
    for note in notes:
        unit, without = re.search(r"use (--unit \w+)", note), re.findall(r"--without (?:'[^']*'|\S+)", note)
        options += shlex.split(unit.group(1)) if unit else []
        for each in without:
            options += shlex.split(each)
        options += ["--refine"] if "--refine" in note else []
    return options


def walk(model, folder):
    up = ["--up", "z"] if Z_UP.search(model) else []
    looked = crumple(["doctor", model, "--json"] + up, folder, may_refuse=True)
    if looked.returncode == 2:
        reason = looked.stderr.strip() or next((f["text"] for f in json.loads(looked.stdout)["findings"] if f["kind"] in ("empty", "flat")), "?")
        return "refused: " + reason[-160:]
    options = advice(json.loads(looked.stdout)["notes"])
    rigged = crumple(["rig", model, "-o", "model.glb", "--quiet", "--most-tets", "6000"] + up + options, folder).stdout
    proposed = re.search(r"^  next +crumple (.*)$", rigged, re.M)
    if not proposed:
        raise Failed("rig proposes no pose")
    posed = crumple(shlex.split(proposed.group(1)) + ["--look", "pose.png"], folder).stdout
    motion = re.search(r"moves +([\d.e+-]+) m at most, ([\d.e+-]+) %", posed)
    crumple(["info", "model.glb", "--picture", "info.png"], folder)
    crumple(["score", "model.glb", "-o", "scored.glb", "--voronoi", "5"], folder)
    crumple(["shot", "model.glb", "-o", "model.json", "--kind", "block"], folder)
    crumple(["run", "model.json", "-o", "rec", "--quiet"], folder)
    crumple(["render", "rec", "-o", "sheet.png", "--sheet", "3x2", "--size", "320x180", "--samples", "4", "--quiet"], folder)
    report = json.load(open(os.path.join(folder, "rec", "run.json")))
    moved = max(body.get("max_displacement", 0) for body in report["bodies"])
    size = 100 * float(motion.group(1)) / float(motion.group(2))
    if moved < 0.003 * size:
        raise Failed("it is hardly damaged: by %.2g m of %.3g m" % (moved, size))
    frame = ["render", "rec", "--frame", "60", "--size", "240x135", "--samples", "2", "--quiet"]
    crumple(frame + ["-o", "plain.png"], folder)
    crumple(frame + ["-o", "weights.png", "--color", "weights"], folder)
    colors, share = body_pixels(os.path.join(folder, "plain.png"), os.path.join(folder, "weights.png"))
    if share < 0.01:
        raise Failed("it is hardly seen: %.2f %% of a frame" % (100 * share))
    has_colors = re.search(r'texture "|vertex colours', crumple(["info", "model.glb"], folder).stdout)
    if has_colors and variety(colors) < 12:
        raise Failed("its colours are not seen: they vary by %.1f of 255" % variety(colors))
    if not os.path.getsize(os.path.join(folder, "sheet.png")) > 10000:
        raise Failed("the sheet is empty")
    return "moved %.3g m, %.0f %% of a frame, colours vary by %.0f; options %s" % (moved, 100 * share, variety(colors), " ".join(options) or "none")


bin_folder = os.path.join(FOLDER, "bin")
shutil.rmtree(FOLDER, ignore_errors=True)
os.makedirs(bin_folder)
os.symlink(PROGRAM, os.path.join(bin_folder, "crumple"))
os.environ["PATH"] = bin_folder + ":" + os.environ["PATH"]
failures = walked = 0
for number, model in enumerate(sys.argv[3:]):
    name = os.path.splitext(os.path.basename(model))[0]
    folder = os.path.join(FOLDER, "%02d_%s" % (number, re.sub(r"\W", "_", name)))
    os.makedirs(folder)
    start = time.time()
    try:
        result = walk(os.path.abspath(model), folder)
        walked += not result.startswith("refused")
    except (Failed, subprocess.TimeoutExpired, OSError, ValueError) as failure:
        result, failures = "FAILED: %s" % failure, failures + 1
    print("walk: %-60s %5.1f s  %s" % (os.sep.join(model.split(os.sep)[-2:])[-60:], time.time() - start, result), flush=True)
print("walk: %d models to the end, %d failures" % (walked, failures))
sys.exit(1 if failures or not walked else 0)
