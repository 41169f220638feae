#!/usr/bin/env python3
"""Compares the speed of Mapscope with that of other programs that render the same content.

    scripts/compare.py [MAPSCOPE] [ROUNDS]

The drakeling goes to F3D and Blender as Wavefront OBJ, and the village to Tiled's tmxrasterizer as TMX
with a sheet of its tiles. Programs run in turns under hyperfine, on a display of their own, and the
median of each is printed as a multiple of Mapscope's, as a page. Programs that are not there are left out, and so
are those that make no picture. KEEP_PICTURES=FOLDER keeps the pictures.

Debian and Ubuntu: apt install hyperfine xvfb f3d blender tiled
"""

import json
import os
import shlex
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "assets"
WIDTH, HEIGHT = 1280, 720

BLENDER = """
import os, bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.wm.obj_import(filepath=os.path.abspath("model.obj"))
scene = bpy.context.scene
camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
scene.collection.objects.link(camera)
camera.location = (10, -16, 7)
camera.rotation_euler = (1.34, 0, 0.56)
scene.camera = camera
scene.render.engine = "BLENDER_WORKBENCH"
scene.display.shading.color_type = "TEXTURE"
scene.display.render_aa = "OFF"
scene.render.resolution_x, scene.render.resolution_y = %d, %d
scene.render.filepath = os.path.abspath("blender.png")
bpy.ops.render.render(write_still=True)
""" % (WIDTH, HEIGHT)


def write_obj(model, folder):
    """Writes a PFOBJ file as OBJ and MTL, in its bind pose, with its textures beside it."""
    corners, materials, last = [], [], []
    for line in model.read_text().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            corners.append({"v": words[1:]})
        elif words[:1] == ["vt"] or words[:1] == ["vn"]:
            corners[-1][words[0]] = words[1:]
        elif words[:1] == ["vm"]:
            corners[-1]["vm"] = int(words[1])
        elif words[:1] == ["material"]:
            last = {"name": words[1]}
            materials.append(last)
        elif words[:1] == ["texture"]:
            last["texture"] = words[1]
    with open(folder / "model.mtl", "w") as out:
        for material in materials:
            shutil.copy(model.parent / material["texture"], folder)
            out.write("newmtl {name}\nKd 1 1 1\nmap_Kd {texture}\n".format(**material))
    with open(folder / "model.obj", "w") as out:
        out.write("mtllib model.mtl\n")
        for key in ["v", "vt", "vn"]:
            for corner in corners:
                out.write(key + " " + " ".join(corner[key]) + "\n")
        for first in range(0, len(corners) - 2, 3):
            if first == 0 or corners[first]["vm"] != corners[first - 1]["vm"]:
                out.write("usemtl %s\n" % materials[corners[first]["vm"]]["name"])
            numbers = [first + i + 1 for i in range(3)]
            out.write("f " + " ".join("%d/%d/%d" % (n, n, n) for n in numbers) + "\n")


def write_tmx(mapscope, map_file, folder):
    """Writes a binary map of ika as TMX, with a sheet of its tiles."""
    data = map_file.read_bytes()
    at = 6

    def number():
        nonlocal at
        at += 4
        return struct.unpack_from("<i", data, at - 4)[0]

    def block():
        nonlocal at
        size = number()
        at += size
        return data[at - size : at]

    tileset = block().decode("cp1252")
    block(), block()
    width, height = number(), number()
    number(), number()
    at += 1
    layers = number()
    at += 16 * layers
    tiles = []
    for _ in range(layers):
        # The engine did not terminate its streams.
        raw = zlib.decompressobj().decompress(block())
        tiles.append(struct.unpack("<%dI" % (width * height), raw[: 4 * width * height]))
    sheet = [str(mapscope), "render", str(map_file.parent / tileset), "--view", "flat"]
    count = struct.unpack_from("<I", (map_file.parent / tileset).read_bytes(), 7)[0]
    picture = folder / "tiles.png"
    subprocess.run(sheet + ["--transparent", "-o", str(picture)], check=True)
    sheet_size = struct.unpack_from(">II", picture.read_bytes(), 16)
    with open(folder / "map.tmx", "w") as out:
        size = 'width="%d" height="%d"' % (width, height)
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n<map version="1.8" ')
        out.write('orientation="orthogonal" renderorder="right-down" %s ' % size)
        out.write('tilewidth="16" tileheight="16" infinite="0">\n')
        out.write('<tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" ')
        out.write('tilecount="%d" columns="%d">' % (count, sheet_size[0] // 16))
        out.write('<image source="tiles.png" ')
        out.write('width="%d" height="%d"/></tileset>\n' % sheet_size)
        for i, layer in enumerate(tiles):
            # Tile 0 is drawn only in the first layer.
            gids = [tile + 1 if tile or i == 0 else 0 for tile in layer]
            out.write('<layer id="%d" name="%d" %s><data encoding="csv">' % (i + 1, i, size))
            out.write(",".join(map(str, gids)) + "</data></layer>\n")
        out.write("</map>\n")


def version(command):
    """The first line with a digit in the output of a command."""
    said = subprocess.run(command, capture_output=True, text=True)
    lines = (said.stdout + said.stderr).splitlines()
    return next((line.strip() for line in lines if any(c.isdigit() for c in line)), "unknown")


def main():
    mapscope = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/mapscope").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    for needed in ["hyperfine", "xvfb-run"]:
        if not shutil.which(needed):
            sys.exit("%s is not there; see the head of this script" % needed)
    if "DISPLAY" not in os.environ:
        again = ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24", sys.executable]
        os.execvp(again[0], again + sys.argv)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, tiles = ASSETS / "models/drakeling.pfobj", ASSETS / "maps/harbour.map"
        write_obj(model, folder)
        write_tmx(mapscope, tiles, folder)
        (folder / "blender.py").write_text(BLENDER)
        size = "%dx%d" % (WIDTH, HEIGHT)
        compared = [
            (
                "A model",
                [
                    ("Mapscope", [mapscope, "--version"], [mapscope, "render", model, "--force",
                     "--clip", "none", "--size", size, "-o", "mapscope.png"], "mapscope.png"),
                    ("F3D", ["f3d", "--version"], ["f3d", "model.obj", "--resolution",
                     "%d,%d" % (WIDTH, HEIGHT), "--output", "f3d.png"], "f3d.png"),
                    ("Blender", ["blender", "--version"], ["blender", "--background",
                     "--factory-startup", "--python", folder / "blender.py"], "blender.png"),
                ],
            ),
            (
                "A 2D map",
                [
                    ("Mapscope", [mapscope, "--version"], [mapscope, "render", tiles, "--force",
                     "--view", "flat", "-o", "map.png"], "map.png"),
                    ("Tiled", ["tmxrasterizer", "--version"], ["tmxrasterizer", "map.tmx",
                     "tiled.png"], "tiled.png"),
                ],
            ),
        ]
        print("# Beside other programs\n\nMade by `scripts/compare.py`, from the start of each program to")
        print("its picture: medians of %d runs in turns.\n" % rounds)
        print("| | Program | Times as long |\n|---|---|---|")
        for what, programs in compared:
            compare(what, programs, folder, rounds)


def compare(what, programs, folder, rounds):
    """Prints a row for each program that writes an image."""
    there = []
    for name, asked, command, picture in programs:
        if not shutil.which(str(command[0])):
            print("%s not found" % name, file=sys.stderr)
            continue
        made = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if (folder / picture).is_file():
            there.append((name, version(asked), shlex.join(map(str, command))))
        else:
            said = (made.stderr or made.stdout).strip().splitlines()[-3:]
            print("%s wrote no image: %s" % (name, " ".join(said)), file=sys.stderr)
        keep = os.environ.get("KEEP_PICTURES")
        if keep and (folder / picture).is_file():
            shutil.copy(folder / picture, keep)
    times = {name: [] for name, *_ in there}
    for _ in range(rounds):
        run = ["hyperfine", "--style", "none", "-N", "--runs", "1", "-i", "--export-json", "times.json"]
        run += [command for *_, command in there]
        subprocess.run(run, cwd=folder, check=True, capture_output=True)
        results = json.loads((folder / "times.json").read_text())["results"]
        for (name, *_), result in zip(there, results):
            times[name] += result["times"]
    medians = {name: statistics.median(of) for name, of in times.items()}
    for name, said, _ in there:
        row = (what, said, medians[name] / medians["Mapscope"])
        print("| %s | %s | %.2f |" % row)


if __name__ == "__main__":
    main()
