// Reads .usda files with tinyusdz, which is made for browsers: it has to find what a worker of one has.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

process.type = 'renderer';
globalThis.WorkerGlobalScope = class {};
globalThis.self = globalThis;
const { default: start } = await import('tinyusdz/tinyusdz.js');
const script = createRequire(import.meta.url).resolve('tinyusdz/tinyusdz.js');
const native = await start({ wasmBinary: fs.readFileSync(path.join(path.dirname(script), 'tinyusdz.wasm')), print: () => {}, printErr: () => {} });

/** What a file holds, or the reason why it cannot be read. */
export function read(file) {
  const loader = new native.TinyUSDZLoaderNative();
  if (!loader.loadFromBinary(new Uint8Array(fs.readFileSync(file)), path.basename(file))) return { error: loader.error ? loader.error() : 'cannot be read' };
  const meshes = [];
  for (let m = 0; m < loader.numMeshes(); ++m) meshes.push(loader.getMesh(m));
  return { meshes, loader };
}
