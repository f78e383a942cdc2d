// Reads .glb files with programs of others: the Khronos validator, and glTF-Transform, which reads every accessor.
import fs from 'node:fs';
import { Logger, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import validator from 'gltf-validator';

/** What the validator complains of: errors and warnings, one line each. */
export async function complaints(file) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), { maxIssues: 20, ignoredIssues: ['UNUSED_OBJECT'] });
  return report.issues.messages.filter((m) => m.severity < 2).map((m) => `${m.code} ${m.pointer ?? ''}: ${m.message}`);
}

export async function read(file) {
  return new NodeIO().setLogger(new Logger(Logger.Verbosity.ERROR)).registerExtensions(ALL_EXTENSIONS).read(file);
}

/** The value of a channel at a time: `mix` interpolates two rows of the sampler. */
function sample(channel, time, mix) {
  const sampler = channel.getSampler(), times = sampler.getInput().getArray(), output = sampler.getOutput();
  const width = output.getCount() / times.length;  // rows a key: as many as there are weights
  const row = (k) => {
    const values = [];
    for (let i = 0; i < width; ++i) values.push(...output.getElement(k * width + i, []));
    return values;
  };
  let k = 0;
  while (k + 1 < times.length && times[k + 1] <= time + 1e-6) ++k;
  if (time <= times[0] || k + 1 === times.length || sampler.getInterpolation() === 'STEP') return row(k);
  const share = (time - times[k]) / (times[k + 1] - times[k]);
  return mix(row(k), row(k + 1), share);
}

const straight = (a, b, share) => a.map((value, i) => value + share * (b[i] - value));

function slerp(a, b, share) {
  let dot = a.reduce((sum, value, i) => sum + value * b[i], 0);
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(1, Math.abs(dot));
  const angle = Math.acos(dot), [p, q] = angle < 1e-6 ? [1 - share, share] : [Math.sin((1 - share) * angle) / Math.sin(angle), Math.sin(share * angle) / Math.sin(angle)];
  const turned = a.map((value, i) => p * value + sign * q * b[i]), length = Math.hypot(...turned);
  return turned.map((value) => value / length);
}

function rotate([x, y, z, w], [a, b, c]) {
  const t = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * t[0] + y * t[2] - z * t[1], b + w * t[1] + z * t[0] - x * t[2], c + w * t[2] + x * t[1] - y * t[0]];
}

/** All vertices of all meshes at a time, node after node; null for what is scaled to nothing. */
export function play(document, time) {
  const root = document.getRoot(), channels = root.listAnimations().flatMap((animation) => animation.listChannels());
  const places = [];
  for (const node of root.listNodes()) {
    const mesh = node.getMesh();
    if (!mesh) continue;
    const value = (path, rest, mix) => {
      const channel = channels.find((c) => c.getTargetNode() === node && c.getTargetPath() === path);
      return channel ? sample(channel, time, mix) : rest;
    };
    const translation = value('translation', node.getTranslation(), straight), rotation = value('rotation', node.getRotation(), slerp);
    const scale = value('scale', node.getScale(), straight), weights = value('weights', mesh.getWeights(), straight);
    const primitive = mesh.listPrimitives()[0], rest = primitive.getAttribute('POSITION'), count = rest.getCount();
    const points = new Float64Array(3 * count), row = [0, 0, 0];
    for (let v = 0; v < count; ++v) points.set(rest.getElement(v, row), 3 * v);
    primitive.listTargets().forEach((target, k) => {
      const moves = target.getAttribute('POSITION');
      if (!weights[k] || !moves) return;
      for (let v = 0; v < count; ++v) {
        moves.getElement(v, row);
        for (let c = 0; c < 3; ++c) points[3 * v + c] += weights[k] * row[c];
      }
    });
    for (let v = 0; v < count; ++v) {
      if (scale[0] === 0) {
        places.push(null);
        continue;
      }
      const turned = rotate(rotation, [scale[0] * points[3 * v], scale[1] * points[3 * v + 1], scale[2] * points[3 * v + 2]]);
      places.push(turned.map((value, c) => value + translation[c]));
    }
  }
  return places;
}
