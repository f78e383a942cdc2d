// Included once for each instruction set; see kernels.cpp.

using V4 = float __attribute__((vector_size(16)));
using V8 = float __attribute__((vector_size(32)));
using I8 = int32_t __attribute__((vector_size(32)));

inline V4 load4(const Vec4f* at) {
  V4 value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
inline void store4(Vec4f* at, V4 value) {
  std::memcpy(at->data(), &value, sizeof value);
}
inline V8 load8(const float* at) {
  V8 value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
inline void store8(float* at, V8 value) {
  std::memcpy(at, &value, sizeof value);
}
inline V8 all(float value) {
  return V8{value, value, value, value, value, value, value, value};
}
inline V8 pick(I8 mask, V8 value) {
  return (V8)((I8)value & mask);
}
inline bool any(I8 mask) {
  int32_t found = 0;
  for (int i = 0; i < kLanes; ++i) found |= mask[i];
  return found != 0;
}
inline float total(V8 v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}
inline V8 lesser(V8 a, V8 b) {
  return a < b ? a : b;
}
inline V8 greater(V8 a, V8 b) {
  return a > b ? a : b;
}
inline float greatest(V8 v) {
  float most = v[0];
  for (int i = 1; i < kLanes; ++i) most = v[i] > most ? v[i] : most;
  return most;
}
inline V8 root(V8 v) {
  float lanes[kLanes];
  store8(lanes, v);
  for (int k = 0; k < kLanes; ++k) lanes[k] = std::sqrt(lanes[k]);
  return load8(lanes);
}
/// Lanes that hold members.
inline I8 lanes_below(int left) {
  const I8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
  return lanes < left;
}

/// Eight rows of four as four columns of eight.
struct Rows {
  V8 x, y, z, w;
};
inline Rows gather8(const Vec4f* rows, const int32_t* index) {
  const V8 a = __builtin_shufflevector(load4(rows + index[0]), load4(rows + index[4]), 0, 1, 2, 3, 4, 5, 6, 7);
  const V8 b = __builtin_shufflevector(load4(rows + index[1]), load4(rows + index[5]), 0, 1, 2, 3, 4, 5, 6, 7);
  const V8 c = __builtin_shufflevector(load4(rows + index[2]), load4(rows + index[6]), 0, 1, 2, 3, 4, 5, 6, 7);
  const V8 d = __builtin_shufflevector(load4(rows + index[3]), load4(rows + index[7]), 0, 1, 2, 3, 4, 5, 6, 7);
  const V8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13), cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  const V8 ab2 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15), cd2 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  return {__builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13), __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15),
          __builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13), __builtin_shufflevector(ab2, cd2, 2, 3, 10, 11, 6, 7, 14, 15)};
}

struct PlaceSums {
  V8 cx = {}, cy = {}, cz = {}, a0 = {}, a1 = {}, a2 = {}, a3 = {}, a4 = {}, a5 = {}, a6 = {}, a7 = {}, a8 = {};

  inline void add(V8 m, V8 x, V8 y, V8 z, V8 qx, V8 qy, V8 qz) {
    const V8 mx = m * x, my = m * y, mz = m * z;
    cx += mx, cy += my, cz += mz;
    a0 += mx * qx, a1 += my * qx, a2 += mz * qx;
    a3 += mx * qy, a4 += my * qy, a5 += mz * qy;
    a6 += mx * qz, a7 += my * qz, a8 += mz * qz;
  }
  inline void finish(Sums& sums) const {
    sums.center[0] = total(cx), sums.center[1] = total(cy), sums.center[2] = total(cz);
    sums.stretch[0] = total(a0), sums.stretch[1] = total(a1), sums.stretch[2] = total(a2);
    sums.stretch[3] = total(a3), sums.stretch[4] = total(a4), sums.stretch[5] = total(a5);
    sums.stretch[6] = total(a6), sums.stretch[7] = total(a7), sums.stretch[8] = total(a8);
  }
};

inline void sum_positions(const Members& members, const Vec4f* positions, const Vec3f& from, Gathered out, Sums& sums) {
  const V8 fx = all(from[0]), fy = all(from[1]), fz = all(from[2]);
  PlaceSums place;
  for (int i = 0; i < members.count; i += kLanes) {
    const I8 here = lanes_below(members.count - i);
    const Rows at = gather8(positions, members.particle + i);
    const V8 x = at.x - fx, y = at.y - fy, z = at.z - fz;
    store8(out.x + i, x), store8(out.x + out.stride + i, y), store8(out.x + 2 * out.stride + i, z), store8(out.x + 3 * out.stride + i, at.w);
    place.add(pick(here, load8(members.mass + i)), x, y, z, load8(members.rest[0] + i), load8(members.rest[1] + i), load8(members.rest[2] + i));
  }
  place.finish(sums);
}

/// Velocity part of the moments; apart from the other so that all sums stay in registers.
inline void sum_velocities(const Members& members, const Vec4f* positions, const Vec4f* velocities, const Vec3f& from, Sums& sums) {
  const V8 fx = all(from[0]), fy = all(from[1]), fz = all(from[2]);
  V8 px = {}, py = {}, pz = {}, sx = {}, sy = {}, sz = {}, xx = {}, yy = {}, zz = {}, xy = {}, xz = {}, yz = {};
  for (int i = 0; i < members.count; i += kLanes) {
    const V8 m = pick(lanes_below(members.count - i), load8(members.mass + i));
    const Rows at = gather8(positions, members.particle + i), v = gather8(velocities, members.particle + i);
    const V8 x = at.x - fx, y = at.y - fy, z = at.z - fz;
    const V8 mx = m * x, my = m * y, mz = m * z;
    px += m * v.x, py += m * v.y, pz += m * v.z;
    sx += my * v.z - mz * v.y, sy += mz * v.x - mx * v.z, sz += mx * v.y - my * v.x;
    xx += mx * x, yy += my * y, zz += mz * z, xy += mx * y, xz += mx * z, yz += my * z;
  }
  sums.velocity[0] = total(px), sums.velocity[1] = total(py), sums.velocity[2] = total(pz);
  sums.spin[0] = total(sx), sums.spin[1] = total(sy), sums.spin[2] = total(sz);
  sums.spread[0] = total(xx), sums.spread[1] = total(yy), sums.spread[2] = total(zz);
  sums.spread[3] = total(xy), sums.spread[4] = total(xz), sums.spread[5] = total(yz);
}

/// T as nine registers and the distance of members from goals and centre.
struct GoalLanes {
  V8 cx, cy, cz, t[9];
  explicit GoalLanes(const LimitTest& test) : cx(all(test.center[0])), cy(all(test.center[1])), cz(all(test.center[2])) {
    for (int k = 0; k < 9; ++k) t[k] = all(test.transform.data()[k]);
  }
  struct At {
    V8 x, y, z;     // from the centre
    V8 gx, gy, gz;  // goal from the centre
    V8 dx, dy, dz;  // from the goal
    V8 far2;        // their length squared
  };
  inline At at(const Members& members, Gathered gathered, int i) const {
    At a;
    a.x = load8(gathered.x + i) - cx, a.y = load8(gathered.x + gathered.stride + i) - cy, a.z = load8(gathered.x + 2 * gathered.stride + i) - cz;
    const V8 qx = load8(members.rest[0] + i), qy = load8(members.rest[1] + i), qz = load8(members.rest[2] + i);
    a.gx = t[0] * qx + t[3] * qy + t[6] * qz, a.gy = t[1] * qx + t[4] * qy + t[7] * qz, a.gz = t[2] * qx + t[5] * qy + t[8] * qz;
    a.dx = a.x - a.gx, a.dy = a.y - a.gy, a.dz = a.z - a.gz;
    a.far2 = a.dx * a.dx + a.dy * a.dy + a.dz * a.dz;
    return a;
  }
};

inline LimitFound test_limit(const Members& members, Gathered gathered, const LimitTest& test) {
  const GoalLanes goals(test);
  const V8 limit2 = all(test.limit * test.limit), outlier2 = all(test.outlier * test.outlier), floor2 = all(test.floor * test.floor);
  V8 reach2 = {}, lx = {}, ly = {}, lz = {}, hx = {}, hy = {}, hz = {};  // the centre is within the box
  I8 beyond = {}, outliers = {};
  for (int i = 0; i < members.count; i += kLanes) {
    const I8 here = lanes_below(members.count - i);
    const GoalLanes::At a = goals.at(members, gathered, i);
    const V8 out2 = pick(here, a.x * a.x + a.y * a.y + a.z * a.z);
    const V8 goal2 = a.gx * a.gx + a.gy * a.gy + a.gz * a.gz;
    const V8 x = pick(here, a.x), y = pick(here, a.y), z = pick(here, a.z);
    lx = lesser(lx, x), ly = lesser(ly, y), lz = lesser(lz, z), hx = greater(hx, x), hy = greater(hy, y), hz = greater(hz, z);
    reach2 = greater(reach2, out2);
    beyond |= here & (a.far2 > limit2);
    outliers |= out2 > outlier2 * (goal2 > floor2 ? goal2 : floor2);
  }
  return {std::sqrt(greatest(reach2)), any(beyond), any(outliers), Vec3f(-greatest(-lx), -greatest(-ly), -greatest(-lz)), Vec3f(greatest(hx), greatest(hy), greatest(hz))};
}

/// Positions in `gathered` give way to those of `previous`.
inline void pull_members(const Members& members, Gathered gathered, const LimitTest& test, const Vec4f* previous, const Vec3f& from, Recoil& recoil) {
  const GoalLanes goals(test);
  const V8 limit = all(test.limit), limit2 = limit * limit, fx = all(from[0]), fy = all(from[1]), fz = all(from[2]);
  const size_t stride = gathered.stride;
  V8 px = {}, py = {}, pz = {}, lx = {}, ly = {}, lz = {}, xx = {}, yy = {}, zz = {}, xy = {}, xz = {}, yz = {}, cx = {}, cy = {}, cz = {};
  for (int i = 0; i < members.count; i += kLanes) {
    const I8 here = lanes_below(members.count - i);
    float* at = gathered.x + i;
    const V8 m = pick(here, load8(members.mass + i)), free = load8(at + 3 * stride);
    const GoalLanes::At a = goals.at(members, gathered, i);
    const I8 beyond = here & (a.far2 > limit2) & (free > 0.0f);
    const V8 far = root(a.far2);
    const V8 back = pick(beyond, limit / (beyond ? far : all(1.0f)) - 1.0f);
    const V8 sx = a.dx * back, sy = a.dy * back, sz = a.dz * back;
    store8(at + 4 * stride, sx), store8(at + 5 * stride, sy), store8(at + 6 * stride, sz);
    const Rows old = gather8(previous, members.particle + i);
    const V8 x = old.x - fx, y = old.y - fy, z = old.z - fz;
    store8(at, x), store8(at + stride, y), store8(at + 2 * stride, z);
    const V8 mx = m * x, my = m * y, mz = m * z;
    cx += mx, cy += my, cz += mz;
    px += m * sx, py += m * sy, pz += m * sz;
    lx += my * sz - mz * sy, ly += mz * sx - mx * sz, lz += mx * sy - my * sx;
    xx += mx * x, yy += my * y, zz += mz * z, xy += mx * y, xz += mx * z, yz += my * z;
  }
  recoil.center[0] = total(cx), recoil.center[1] = total(cy), recoil.center[2] = total(cz);
  recoil.push[0] = total(px), recoil.push[1] = total(py), recoil.push[2] = total(pz);
  recoil.turn[0] = total(lx), recoil.turn[1] = total(ly), recoil.turn[2] = total(lz);
  recoil.spread[0] = total(xx), recoil.spread[1] = total(yy), recoil.spread[2] = total(zz);
  recoil.spread[3] = total(xy), recoil.spread[4] = total(xz), recoil.spread[5] = total(yz);
}

/// Writes eight rows of three.
inline void scatter8(Vec4f* rows, V8 x, V8 y, V8 z) {
  const V8 none = {};
  const V8 xy = __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13), xy2 = __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15);
  const V8 zw = __builtin_shufflevector(z, none, 0, 8, 1, 9, 4, 12, 5, 13), zw2 = __builtin_shufflevector(z, none, 2, 10, 3, 11, 6, 14, 7, 15);
  const V8 a = __builtin_shufflevector(xy, zw, 0, 1, 8, 9, 4, 5, 12, 13), b = __builtin_shufflevector(xy, zw, 2, 3, 10, 11, 6, 7, 14, 15);
  const V8 c = __builtin_shufflevector(xy2, zw2, 0, 1, 8, 9, 4, 5, 12, 13), d = __builtin_shufflevector(xy2, zw2, 2, 3, 10, 11, 6, 7, 14, 15);
  const V8 parts[4] = {a, b, c, d};
  for (int k = 0; k < 4; ++k) {
    store4(rows + k, __builtin_shufflevector(parts[k], parts[k], 0, 1, 2, 3));
    store4(rows + k + 4, __builtin_shufflevector(parts[k], parts[k], 4, 5, 6, 7));
  }
}

/// What members are pulled back by, less the recoil of the whole.
inline void finish_pull(const Members& members, Gathered gathered, const Vec3f& center, const Vec3f& push, const Vec3f& turn, Vec4f* rows) {
  const V8 cx = all(center[0]), cy = all(center[1]), cz = all(center[2]);
  const V8 px = all(push[0]), py = all(push[1]), pz = all(push[2]), tx = all(turn[0]), ty = all(turn[1]), tz = all(turn[2]);
  const size_t stride = gathered.stride;
  for (int i = 0; i < members.count; i += kLanes) {
    const float* at = gathered.x + i;
    const V8 x = load8(at) - cx, y = load8(at + stride) - cy, z = load8(at + 2 * stride) - cz;
    Vec4f last[kLanes];  // the next rows are another cluster's
    const int left = members.count - i;
    scatter8(left < kLanes ? last : rows + i, load8(at + 4 * stride) - px - (ty * z - tz * y), load8(at + 5 * stride) - py - (tz * x - tx * z), load8(at + 6 * stride) - pz - (tx * y - ty * x));
    for (int k = 0; left < kLanes && k < left; ++k) rows[i + k] = last[k];
  }
}

inline V4 splat(float value) {
  return V4{value, value, value, value};
}
inline V4 cross(V4 a, V4 b) {
  const V4 a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3), b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
  const V4 c = a * b1 - a1 * b;
  return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

inline void integrate_particles(const Model& model, State& state, const Wish* wishes, const Integration& how, size_t begin, size_t end) {
  const V4 gravity = load4(&how.gravity), pull = splat(how.pull), damp = splat(how.damp), dt = splat(how.dt);
  for (size_t i = begin; i < end; ++i) {
    const int count = state.entry_count[i];
    state.previous[i] = state.positions[i];
    if (state.held[i] >= 0 || count == 0) continue;
    V4 c0 = {}, c1 = {}, c2 = {}, offset = {}, drift = {}, spin = {};
    const int32_t* cluster = &state.entry_cluster[static_cast<size_t>(state.entry_begin[i])];
    const float* share = &state.entry_share[static_cast<size_t>(state.entry_begin[i])];
    for (int e = 0; e < count; ++e) {
      const Wish& wish = wishes[cluster[e]];
      const V4 w = splat(share[e]);
      c0 += w * load4(&wish.columns[0]), c1 += w * load4(&wish.columns[1]), c2 += w * load4(&wish.columns[2]);
      offset += w * load4(&wish.offset), drift += w * load4(&wish.drift), spin += w * load4(&wish.spin);
    }
    const Vec4f& rest = model.rest[static_cast<size_t>(state.original[i])];
    V4 x = load4(&state.positions[i]), v = load4(&state.velocities[i]);
    const V4 goal = c0 * splat(rest[0]) + c1 * splat(rest[1]) + c2 * splat(rest[2]) + offset;
    // The fourth lane is left alone: goals have 0 there and positions a flag, which the mask takes out.
    const V4 mask = {1, 1, 1, 0};
    v += (gravity + pull * (goal - x) + damp * (drift + cross(spin, x) - v)) * mask;
    x += dt * v * mask;
    store4(&state.positions[i], x), store4(&state.velocities[i], v);
  }
}

inline void apply_shifts(const Members& members, const float* shares, const Vec4f* shifts, float relax, Vec4f* positions) {
  for (int k = 0; k < members.count; ++k) {
    Vec4f* row = positions + members.particle[k];
    const V4 x = load4(row);
    store4(row, x + splat(shares[k] * relax * x[3]) * load4(shifts + k));  // the fourth of what is held is 0
  }
}

inline int find_near(const Members& members, const Vec4f* positions, const Vec3f& center, float reach, int32_t* found) {
  const V8 cx = all(center[0]), cy = all(center[1]), cz = all(center[2]), reach2 = all(reach * reach);
  int count = 0;
  for (int i = 0; i < members.count; i += kLanes) {
    const Rows at = gather8(positions, members.particle + i);
    const V8 x = at.x - cx, y = at.y - cy, z = at.z - cz;
    const I8 near = lanes_below(members.count - i) & (x * x + y * y + z * z < reach2);
    if (!any(near)) continue;
    for (int k = 0; k < kLanes; ++k) {
      if (near[k]) found[count++] = members.particle[i + k];
    }
  }
  return count;
}
