// Reads all files that the tests exported with programs of others, and compares animations with point caches of the same frames.
//   node check.mjs FOLDER
import fs from 'node:fs';
import path from 'node:path';
import * as gltf from './gltf.mjs';
import * as usd from './usd.mjs';

const failures = [];
const fail = (file, what) => failures.push(`${file}: ${what}`);

function filesIn(folder, extension) {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(extension)).map((name) => path.join(folder, name)).sort();
}

/** Frames of a .pc2: positions of all vertices. */
function readCache(file) {
  const bytes = fs.readFileSync(file), vertices = bytes.readInt32LE(16), frames = bytes.readInt32LE(28);
  return Array.from({ length: frames }, (_, f) => new Float32Array(bytes.buffer.slice(bytes.byteOffset + 32 + 12 * vertices * f, bytes.byteOffset + 32 + 12 * vertices * (f + 1))));
}

/** The farthest that a vertex of an animation is from its place in the cache of the same frames. */
async function worstVertex(animation, cache) {
  const document = await gltf.read(animation), fps = document.getRoot().listScenes()[0].getExtras().fps;
  let worst = 0;
  readCache(cache).forEach((truth, frame) => {
    const places = gltf.play(document, frame / fps);
    if (3 * places.length !== truth.length) throw new Error(`has ${places.length} vertices, the cache ${truth.length / 3}`);
    places.forEach((place, v) => {
      if (place) worst = Math.max(worst, Math.hypot(...place.map((value, c) => value - truth[3 * v + c])));
    });
  });
  return worst;
}

/** Whether Crumple wrote this .glb: some tests make files of their own, broken or foreign on purpose. */
function isOurs(file) {
  const bytes = fs.readFileSync(file);
  if (bytes.toString('latin1', 0, 4) !== 'glTF') return false;
  return JSON.parse(bytes.toString('utf8', 20, 20 + bytes.readUInt32LE(12))).asset?.generator === 'Crumple';
}

const folder = process.argv[2], glbs = filesIn(folder, '.glb').filter(isOurs), usds = filesIn(folder, '.usda');
for (const file of glbs) {
  for (const complaint of await gltf.complaints(file)) fail(file, complaint);
  try {
    await gltf.read(file);
  } catch (error) {
    fail(file, error.message);
  }
}
for (const file of usds) {
  const read = usd.read(file), meshes = (fs.readFileSync(file, 'utf8').match(/def Mesh /g) ?? []).length;
  if (read.error) fail(file, read.error);
  else if (read.meshes.length !== meshes) fail(file, `${read.meshes.length} of ${meshes} meshes are read`);
}
let compared = 0;
for (const cache of filesIn(folder, '.pc2')) {
  const animation = cache.replace(/\.pc2$/, '.glb'), limits = cache.replace(/\.pc2$/, '.limit');
  if (!fs.existsSync(animation) || !fs.existsSync(limits)) continue;
  try {
    const worst = await worstVertex(animation, cache), limit = Number(fs.readFileSync(limits, 'utf8'));
    console.log(`${path.relative(folder, animation)}: worst vertex ${(1e3 * worst).toFixed(3)} mm, promised ${(1e3 * limit).toFixed(3)} mm`);
    if (!(worst <= limit)) fail(animation, `a vertex is ${1e3 * worst} mm from its place`);
    ++compared;
  } catch (error) {
    fail(animation, error.message);
  }
}
console.log(`${glbs.length} .glb, ${usds.length} .usda read, ${compared} animations compared`);
for (const line of failures) console.error(line);
if (failures.length) process.exit(1);
if (!glbs.length || !usds.length || !compared) {
  console.error(`${folder}: there is nothing to check; the tests that export come first`);
  process.exit(process.argv[3] === 'all' ? 1 : 77);
}
