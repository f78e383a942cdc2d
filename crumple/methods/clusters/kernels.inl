// Included once for each width of registers; see kernels.cpp. Eight lanes in all of them.

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
  using L4 = int64_t __attribute__((vector_size(32)));
  const L4 pairs = (L4)mask;
  return ((pairs[0] | pairs[1]) | (pairs[2] | pairs[3])) != 0;
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
inline void sum_velocities(const Members& members, Gathered gathered, const Vec4f* velocities, Sums& sums) {
  V8 px = {}, py = {}, pz = {}, sx = {}, sy = {}, sz = {}, xx = {}, yy = {}, zz = {}, xy = {}, xz = {}, yz = {};
  for (int i = 0; i < members.count; i += kLanes) {
    const V8 m = pick(lanes_below(members.count - i), load8(members.mass + i));
    const float* at = gathered.x + i;
    const V8 x = load8(at), y = load8(at + gathered.stride), z = load8(at + 2 * gathered.stride);
    const Rows v = gather8(velocities, members.particle + i);
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

/// Box around places, from 0 at least.
struct BoxLanes {
  V8 lx = {}, ly = {}, lz = {}, hx = {}, hy = {}, hz = {};
  inline void add(V8 x, V8 y, V8 z) {
    lx = lesser(lx, x), ly = lesser(ly, y), lz = lesser(lz, z), hx = greater(hx, x), hy = greater(hy, y), hz = greater(hz, z);
  }
  Vec3f low() const { return Vec3f(-greatest(-lx), -greatest(-ly), -greatest(-lz)); }
  Vec3f high() const { return Vec3f(greatest(hx), greatest(hy), greatest(hz)); }
};

/// Shifts of members back to the limit, and their sums.
struct PullLanes {
  V8 limit, fx, fy, fz;
  V8 px = {}, py = {}, pz = {}, lx = {}, ly = {}, lz = {};
  bool any = false;

  PullLanes(const LimitTest& test, const Vec3f& from) : limit(all(test.limit)), fx(all(from[0])), fy(all(from[1])), fz(all(from[2])) {}
  inline void add(const Members& members, const Vec4f* previous, const GoalLanes::At& a, I8 beyond, int i, Vec4f* rows) {
    if (!any) std::memset(static_cast<void*>(rows), 0, static_cast<size_t>(i) * sizeof(Vec4f));
    any = true;
    const V8 back = pick(beyond, limit / (beyond ? root(a.far2) : all(1.0f)) - 1.0f);
    const V8 sx = a.dx * back, sy = a.dy * back, sz = a.dz * back;
    const V8 m = load8(members.mass + i);
    const Rows old = gather8(previous, members.particle + i);
    const V8 x = old.x - fx, y = old.y - fy, z = old.z - fz, mx = m * sx, my = m * sy, mz = m * sz;
    px += mx, py += my, pz += mz;
    lx += y * mz - z * my, ly += z * mx - x * mz, lz += x * my - y * mx;
    write(members, sx, sy, sz, i, rows);
  }
  static inline void write(const Members& members, V8 sx, V8 sy, V8 sz, int i, Vec4f* rows) {
    const int left = members.count - i;
    if (left >= kLanes) return scatter8(rows + i, sx, sy, sz);
    Vec4f last[kLanes];  // the next rows are another cluster's
    scatter8(last, sx, sy, sz);
    for (int k = 0; k < left; ++k) rows[i + k] = last[k];
  }
};

inline LimitFound test_limit(const Members& members, Gathered gathered, const LimitTest& test, const Vec4f* previous, const Vec3f& from, Vec4f* shifts) {
  const GoalLanes goals(test);
  const V8 limit2 = all(test.limit * test.limit), outlier2 = all(test.outlier * test.outlier), floor2 = all(test.floor * test.floor);
  V8 reach2 = {};
  I8 outliers = {};
  BoxLanes box;  // the centre is within
  PullLanes pull(test, from);
  for (int i = 0; i < members.count; i += kLanes) {
    const I8 here = lanes_below(members.count - i);
    const GoalLanes::At a = goals.at(members, gathered, i);
    const V8 out2 = pick(here, a.x * a.x + a.y * a.y + a.z * a.z);
    const V8 goal2 = a.gx * a.gx + a.gy * a.gy + a.gz * a.gz;
    box.add(pick(here, a.x), pick(here, a.y), pick(here, a.z));
    reach2 = greater(reach2, out2);
    outliers |= out2 > outlier2 * (goal2 > floor2 ? goal2 : floor2);
    if (!shifts) continue;
    const I8 beyond = here & (a.far2 > limit2) & (load8(gathered.x + 3 * gathered.stride + i) > 0.0f);
    if (any(beyond))
      pull.add(members, previous, a, beyond, i, shifts);
    else if (pull.any)
      PullLanes::write(members, V8{}, V8{}, V8{}, i, shifts);
  }
  return {std::sqrt(greatest(reach2)), any(outliers),  pull.any, Vec3f(total(pull.px), total(pull.py), total(pull.pz)),
          Vec3f(total(pull.lx), total(pull.ly), total(pull.lz)), box.low(), box.high()};
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
  // The fourth lane is unchanged: goals have 0 there, and positions a flag, which the mask removes.
  const V4 mask = {1, 1, 1, 0};
  const int32_t *counts = state.entry_count.data(), *begins = state.entry_begin.data(), *held = state.held.data(), *original = state.original.data();
  const int32_t* clusters = state.entry_cluster.data();
  const float* shares = state.entry_share.data();
  const Vec4f* rests = model.rest.data();
  Vec4f *positions = state.positions.data(), *velocities = state.velocities.data(), *previous = state.previous.data();
  for (size_t i = begin; i < end; ++i) {
    V4 x = load4(positions + i);
    store4(previous + i, x);
    if (held[i] >= 0 || counts[i] == 0) continue;
    V4 c0 = {}, c1 = {}, c2 = {}, offset = {}, drift = {}, spin = {};
    const int32_t last = begins[i] + counts[i];
    for (int32_t e = begins[i]; e < last; ++e) {
      const Wish& wish = wishes[clusters[e]];
      const V4 w = splat(shares[e]);
      c0 += w * load4(&wish.columns[0]), c1 += w * load4(&wish.columns[1]), c2 += w * load4(&wish.columns[2]);
      offset += w * load4(&wish.offset), drift += w * load4(&wish.drift), spin += w * load4(&wish.spin);
    }
    const V4 rest = load4(rests + original[i]);
    V4 v = load4(velocities + i);
    const V4 goal = c0 * splat(rest[0]) + c1 * splat(rest[1]) + c2 * splat(rest[2]) + offset;
    v += (gravity + pull * (goal - x) + damp * (drift + cross(spin, x) - v)) * mask;
    x += dt * v * mask;
    store4(positions + i, x), store4(velocities + i, v);
  }
}

inline void shift_members(const Members& members, const float* shares, const Vec4f* shifts, const Recoil& recoil, float relax, const Vec4f* previous,
                          Vec4f* positions) {
  const V4 push = load4(&recoil.push), turn = load4(&recoil.turn);
  for (int k = 0; k < members.count; ++k) {
    const int32_t i = members.particle[k];
    const V4 x = load4(positions + i);
    // The fourth component of held particles is 0, and so are those of all added vectors.
    store4(positions + i, x + splat(shares[k] * relax * x[3]) * (load4(shifts + k) - push - cross(turn, load4(previous + i))));
  }
}

inline void shift_particles(State& state, const uint8_t* active, const Vec4f* shifts, const Recoil* recoils, float relax, size_t begin, size_t end) {
  const int32_t *counts = state.entry_count.data(), *begins = state.entry_begin.data();
  const int32_t *clusters = state.entry_cluster.data(), *slots = state.entry_slot.data();
  const float* shares = state.entry_share.data();
  const Vec4f* previous = state.previous.data();
  Vec4f* positions = state.positions.data();
  for (size_t i = begin; i < end; ++i) {
    V4 sum = {}, turn = {};
    const int32_t last = begins[i] + counts[i];
    for (int32_t e = begins[i]; e < last; ++e) {
      const int32_t c = clusters[e];
      if (!active[c]) continue;
      const V4 w = splat(shares[e]);
      sum += w * (load4(shifts + slots[e]) - load4(&recoils[c].push)), turn += w * load4(&recoils[c].turn);
    }
    const V4 x = load4(positions + i);
    store4(positions + i, x + splat(relax * x[3]) * (sum - cross(turn, load4(previous + i))));
  }
}

inline void move_rigidly(const Members& members, const float* shares, const RigidChange& change, Vec4f* positions, Vec4f* velocities) {
  const auto four = [](const Vec3f& v) { return V4{v[0], v[1], v[2], 0}; };
  const V4 center = four(change.center), shift = four(change.shift), turn = four(change.turn), push = four(change.push), spin = four(change.spin);
  for (int k = 0; k < members.count; ++k) {
    const int32_t i = members.particle[k];
    const V4 x = load4(positions + i), out = x - center, w = splat(shares[k] * x[3]);
    store4(positions + i, x + w * (shift + cross(turn, out)));
    store4(velocities + i, load4(velocities + i) + w * (push + cross(spin, out)));
  }
}

inline int find_inside(const Places& places, const Proxy& proxy, int32_t* found) {
  const V8 cx = all(proxy.center[0]), cy = all(proxy.center[1]), cz = all(proxy.center[2]);
  const V8 reach2 = all(proxy.reach * proxy.reach), radius2 = all(proxy.radius * proxy.radius);
  const float* t = proxy.to_rest.data();
  int count = 0;
  for (int i = 0; i < places.count; i += kLanes) {
    const V8 px = load8(places.x[0] + i), py = load8(places.x[1] + i), pz = load8(places.x[2] + i);
    const V8 x = px - cx, y = py - cy, z = pz - cz;
    I8 inside = lanes_below(places.count - i) & (x * x + y * y + z * z < reach2) & (px >= proxy.low[0]) & (px <= proxy.high[0]) &
                (py >= proxy.low[1]) & (py <= proxy.high[1]) & (pz >= proxy.low[2]) & (pz <= proxy.high[2]);
    if (!any(inside)) continue;
    const V8 rx = t[0] * x + t[3] * y + t[6] * z + proxy.from_ball[0], ry = t[1] * x + t[4] * y + t[7] * z + proxy.from_ball[1],
             rz = t[2] * x + t[5] * y + t[8] * z + proxy.from_ball[2];
    inside &= rx * rx + ry * ry + rz * rz < radius2;
    for (const Vec4f& plane : proxy.planes) inside &= plane[0] * rx + plane[1] * ry + plane[2] * rz < plane[3];
    if (!any(inside)) continue;
    for (int k = 0; k < kLanes; ++k) {
      if (inside[k]) found[count++] = i + k;
    }
  }
  return count;
}

inline void gather_places(const int32_t* particles, int count, const Vec4f* positions, float* const (&out)[3], Vec3f& low, Vec3f& high) {
  const Vec4f& first = positions[particles[0]];
  const V8 fx = all(first[0]), fy = all(first[1]), fz = all(first[2]);
  BoxLanes box;
  for (int i = 0; i < count; i += kLanes) {
    const I8 here = lanes_below(count - i);
    const Rows at = gather8(positions, particles + i);
    store8(out[0] + i, at.x), store8(out[1] + i, at.y), store8(out[2] + i, at.z);
    box.add(pick(here, at.x - fx), pick(here, at.y - fy), pick(here, at.z - fz));
  }
  low = first.head<3>() + box.low(), high = first.head<3>() + box.high();
}
