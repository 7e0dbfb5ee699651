/**
 * The fragment shader of a volume: a ray passes from brick to brick, and takes samples only in bricks whose extent
 * of values can change the result.
 */
import { labelFunctions } from "../draw/shaders.js";
import { brickTexels, maxRow, tableRow } from "./atlas.js";
import { partShape, side } from "./bricks.js";
import { cellSide, cellsPerSide } from "./extents.js";
import { type ModeCode, modes, type RayMode } from "./modes.js";
import { maxSlices } from "./slices.js";

/** Maximum number of levels of a volume. */
export const maxLevels = 16;

/** Texels in a row of the table of places. */
export const placesRow = 1024;

/** Features of a picture that take code in the shader: software rendering executes it even if it is unused. */
export interface RayFeatures {
  /** Whether bricks of coarser levels consist of whole bricks of level 0. */
  readonly isAligned: boolean;
  readonly hasSlices: boolean;
  /** Whether all voxels along an axis have the same length. */
  readonly isEven: boolean;
}

/** Places along axes whose voxels have unequal lengths: a table of their middles, between which lengths are equal. */
const unevenAxes = `
uniform sampler2D places;
uniform ivec3 placeRows, placeCounts;   // 0 for axes of equal voxels
// Of the last point: voxels per place, and the places between which it is the same.
vec3 density = vec3(1.0), pieceFrom = vec3(-1e9), pieceTo = vec3(1e9);

float placeAt(int axis, int i) {
  return texelFetch(places, ivec2(i % ${placesRow}, placeRows[axis] + i / ${placesRow}), 0).r;
}

/** The point at a place, in voxels of level 0. */
vec3 pointAt(vec3 place) {
  for (int axis = 0; axis < 3; axis++) {
    int first = 0, last = placeCounts[axis] - 2;
    if (last < 0) continue;
    while (first < last) {
      int middle = (first + last + 1) >> 1;
      if (placeAt(axis, middle) <= place[axis]) first = middle;
      else last = middle - 1;
    }
    float from = placeAt(axis, first), to = placeAt(axis, first + 1);
    pieceFrom[axis] = first == 0 ? -1e9 : from;
    pieceTo[axis] = first == placeCounts[axis] - 2 ? 1e9 : to;
    density[axis] = 1.0 / (to - from);
    place[axis] = float(first) + 0.5 + (place[axis] - from) * density[axis];
  }
  return place;
}`;

/** Along pieces that are straight in voxels and in one brick. */
const unevenRay = ({ skip, uniform, sample, stop }: ModeCode): string => `
  // Samples of every level have the distance of level 0.
  const int level = 0;
  float interval = steps[0].x / size, phase = enter + steps[0].z / size;
  float from = ceil(-steps[0].z / steps[0].x), count = ceil((leave - phase) / interval);
  for (int i = 0; i < 65536 && from < count; i++) {
    if (${stop}) break;
    float s = phase + from * interval;
    vec3 point = pointAt(start + direction * s), pace = direction * density;
    ivec2 entry;
    vec4 brick, content;
    int number = pageOf(point, entry, brick, content);
    vec3 page = side * factors[0], first = origins[0] + floor((point - origins[0]) / page) * page;
    float next = min(leaving(start, inverse, pieceFrom, pieceTo), s + leaving(point, 1.0 / pace, first, first + page));
    vec3 origin = origins[int(brick.w)], factor = factors[int(brick.w)];
    if (!isAligned && number > 0) {
      // The cell may lie in several bricks of the level.
      vec3 own = clamp(floor((point - origin) / (side * factor)), vec3(0.0), lastBricks[int(brick.w)]);
      first = origin + own * side * factor;
      next = min(next, s + leaving(point, 1.0 / pace, first, first + side * factor));
      if (own != brick.xyz) content = contentOf(own, int(brick.w), first + 0.5 * side * factor, point, entry);
      brick.xyz = own;
    }
    // Each part of a brick is stored elsewhere.
    vec3 inner = insideBrick(point, brick), seat = vec3(-1.0);
    first = origin + (brick.xyz * side + vec3(0.0, partOf(inner)) * partShape) * factor;
    next = min(next, s + leaving(point, 1.0 / pace, first, first + partShape * factor));
    float begin = from;
    from = min(count, max(ceil((next - phase) / interval), begin + 1.0));
    float part = from - begin, least = content.x, most = content.y;
    if (content.z >= 0.0) {
      seat = atlasPlace(inner, entry);
      if (seat.x < 0.0) least = most = cellAt(inner, content).x;
    }
    if (number == 0 || ${skip}) { former = -3e38; continue; }
    if (seat.x < 0.0) {
      if (least == least) { ${uniform} former = least; }
      continue;
    }
    vec3 scale = inside, way = pace * interval / factor * scale, place = seat * scale;
    float depth = (s - enter) / interval;
    for (float j = 0.0; j < part; j++, place += way) {
      float v = texture(atlas, place).r;
      ${sample}
    }
  }
`;

/** From brick to brick, and from cell to cell. */
const evenRay = ({ skip, uniform, sample, stop }: ModeCode): string => `
  float nudge = 1e-3 / (size * max(max(abs(direction.x), abs(direction.y)), abs(direction.z)));
  vec3 page = side * factors[0], ahead = step(0.0, inverse), turn = 2.0 * ahead - 1.0;
  vec3 pageAt = (start - origins[0]) / page, pageWay = direction / page, perPageWay = page * inverse;
  vec3 lastPage = vec3(textureSize(pages, 0) - 1);
  float t = enter;
  for (int i = 0; i < 4096 && t < leave; i++) {
    if (${stop}) break;
    vec3 at = clamp(floor(pageAt + pageWay * (t + nudge)), vec3(0.0), lastPage);
    vec3 ends = (at + ahead - pageAt) * perPageWay;
    float now = t, next = min(ends.x, min(ends.y, ends.z));
    t = max(next, t + nudge);
    uint number = texelFetch(pages, ivec3(at), 0).r;
    if (number == 0u) continue;
    ivec2 entry = entryOfBrick(number);
    vec4 content = texelFetch(bricks, entry + ivec2(1, 0), 0);
    int level = 0;
    vec3 factor = factors[0], first = origins[0] + at * page, pace = steps[0];
    if (content.w > 1.5) {
      vec4 brick = texelFetch(bricks, entry, 0);
      level = int(brick.w);
      factor = factors[level];
      pace = steps[level];
      first = origins[level] + brick.xyz * side * factor;
      bool isWhole = isAligned;
      if (!isAligned) isWhole = pace.y > 0.5;
      if (isWhole) {
        next = max(next, leaving(start, inverse, first, first + side * factor));
        t = max(next, t);
      }
      if (!isAligned) {
        if (!isWhole) {
          // The cell may lie in several bricks of the level.
          vec3 point = start + direction * (now + nudge);
          vec3 own = clamp(floor((point - origins[level]) / (side * factor)), vec3(0.0), lastBricks[level]);
          first = origins[level] + own * side * factor;
          next = min(next, leaving(start, inverse, first, first + side * factor));
          t = next = max(next, now + nudge);
          if (own != brick.xyz) content = contentOf(own, level, first + 0.5 * side * factor, point, entry);
        }
      }
    }
    float least = content.x, most = content.y;
    bool isFlat = content.z < 0.0, isDense = mod(content.w, 2.0) == 0.0;
    if (isSkipping && (${skip})) { former = -3e38; continue; }
    if (isFlat && least != least) continue;
    next = min(next, leave);
    // Samples lie at the same places along the ray whatever the bricks are. Along an axis some are in the middle
    // of voxels.
    float interval = pace.x / size;
    float phase = enter + pace.z / size;
    float s = phase + ceil((now - phase) / interval) * interval;
    float count = ceil((next - s) / interval);
    vec4 places = texelFetch(bricks, entry + ivec2(2, 0), 0);
    ivec3 corner = ivec3(seatOf(content.z)) * ${cellsPerSide};
    vec3 inner = (start + direction * s - first) / factor;
    vec3 move = direction * interval / factor;
    vec3 scale = inside, way = move * scale;
    vec3 base = (1.0 + inner) * scale;
    vec3 cellAt = inner / cellSide, cellWay = move / cellSide, perCell = 1.0 / cellWay;
    float from = 0.0;
    while (from < count) {
      vec3 cell = clamp(floor(cellAt + from * cellWay), 0.0, ${cellsPerSide - 1}.0);
      vec4 extent = texelFetch(cells, corner + ivec3(cell), 0);
      if (!isFlat) {
        least = extent.x;
        most = extent.y;
      }
      bool isSkipped = isSkipping && (${skip});
      vec2 cellPart = partOf(cell * cellSide);
      float partPlace = placeOfPart(places, cellPart);
      bool isUniform = isFlat || (least == most && (partPlace < 0.0 || (isSkipping && isDense)));
      float around = isSkipped || isUniform ? extent.z * unit : 0.0;
      vec3 ends = (cell + ahead + around * turn - cellAt) * perCell;
      float begin = from;
      from = min(count, isFlat ? count : max(ceil(min(ends.x, min(ends.y, ends.z))), begin + 1.0));
      if (isSkipped) { former = -3e38; continue; }
      float part = from - begin;
      if (isUniform) {
        ${uniform}
        former = least;
        if (${stop}) break;
        continue;
      }
      vec3 place = base + begin * way + partCorner(partPlace, cellPart) * scale;
      float depth = (s - enter) / interval + begin;
      for (float j = 0.0; j < part; j++, place += way) {
        float v = texture(atlas, place).r;
        ${sample}
      }
      if (${stop}) break;
    }
  }
`;

export function volumeShader(mode: RayMode, { isAligned, hasSlices, isEven }: RayFeatures): string {
  const { result } = modes[mode];
  const back = mode === "labels" ? "covering(labelled(value), outlined == 1 ? 0.5 : 1.0)" : "mapped(value)";
  const beyond = "start + direction * far + aside";
  return `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler3D;
precision highp usampler3D;
uniform sampler3D atlas;
uniform sampler3D cells;
uniform usampler3D pages;
uniform sampler2D bricks;
uniform sampler2D colours;    // translucent volumes have a row for each level after the first
uniform vec3 from, right, down, forward;   // rays, in voxels of level 0
uniform vec2 middle;      // of the picture, in its pixels
uniform float grain;      // pixels of the view per pixel of the picture
uniform float pixel;
uniform bool isPerspective;
uniform vec3 boxFrom, boxTo;   // the part that is drawn
uniform vec4 plane;            // points whose product with xyz is less than w are not drawn
uniform mat3 space, voxels;   // from voxels of level 0 to space, and back
uniform vec3 origins[${maxLevels}];
uniform vec3 factors[${maxLevels}];
uniform vec3 lastBricks[${maxLevels}];     // the greatest index of bricks
uniform vec3 steps[${maxLevels}];          // distance between samples; 1 if bricks consist of whole cells; first sample
uniform vec3 range;       // lower limit, colours per value, upper limit
uniform vec2 opaque;      // values from x to y are not transparent
uniform float surface;
uniform float unit;       // value of a texel of 1
uniform float opacity;
uniform int outlined;
uniform vec4 ground;
uniform vec4 slices[${maxSlices}];   // points whose product with xyz is w
uniform int sliceCount;
uniform bool isSliceSmooth;
out vec4 colour;
vec3 facet;               // normal of the face or plane where the ray enters; 0 if it starts inside

const float side = ${side}.0;
const vec3 partShape = vec3(${partShape.join()});
const float cellSide = ${cellSide}.0;
const bool isSkipping = true;
const bool isAligned = ${isAligned};
const bool hasSlices = ${hasSlices};
${isEven ? "" : unevenAxes}

int entryAt(float value) { return int(clamp((value - range.x) * range.y, 0.0, 255.0)); }

/** Colour of a voxel, and opacity of one of level 0. */
vec4 entryOf(float value) { return texelFetch(colours, ivec2(entryAt(value), 0), 0); }

vec4 mapped(float value) { return vec4(entryOf(value).rgb, 1.0); }

${labelFunctions}

// As draw/shaders.ts does for floats.
vec4 labelled(float value) {
  value = floor(value * unit + 0.5);
  return labelled(codeOf(uint(int(value)), value < 0.0 ? 0xffffffffu : 0u));
}

/** A label over others. Outlines are the parts that face aside. */
vec4 covering(vec4 label, float light) {
  float alpha = outlined == 1 && light > 0.55 ? 0.0 : label.a * opacity;
  return vec4(label.rgb * light * alpha, alpha);
}

float lit(vec3 slope) {
  float most = max(abs(slope.x), max(abs(slope.y), abs(slope.z)));
  if (!(most > 0.0)) return 1.0;
  vec3 normal = normalize(slope / most * ${isEven ? "" : "density * "}voxels);
  return 0.25 + 0.75 * abs(dot(normal, normalize(space * forward)));
}

/** Lighting where the ray enters: the volume may be cut there. */
float litFacet() { return lit(facet${isEven ? "" : " / density"}); }

/** Lighting of a label from the eye, by the neighbours that are equal. */
float facing(vec3 at, vec3 scale, float v) {
  vec3 slope = vec3(0.0);
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) for (int k = -1; k <= 1; k++) {
    vec3 way = vec3(i, j, k);
    if (texture(atlas, at + way * scale).r == v) slope += way;
  }
  return lit(slope);
}

/** Lighting from the eye, by the gradient over one voxel. */
vec4 shaded(vec3 at, vec3 scale) {
  vec3 e = 0.5 * scale;
  vec3 slope = vec3(
    texture(atlas, at + vec3(e.x, 0, 0)).r - texture(atlas, at - vec3(e.x, 0, 0)).r,
    texture(atlas, at + vec3(0, e.y, 0)).r - texture(atlas, at - vec3(0, e.y, 0)).r,
    texture(atlas, at + vec3(0, 0, e.z)).r - texture(atlas, at - vec3(0, 0, e.z)).r);
  return vec4(mapped(texture(atlas, at).r).rgb * (slope == vec3(0.0) ? litFacet() : lit(slope)), 1.0);
}

/** The place of a part in the atlas, in parts. */
vec3 seatOf(float place) {
  vec3 seat = floor(place * vec3(1.0, ${1 / maxRow}, ${1 / maxRow ** 2}));
  seat.xy -= ${maxRow}.0 * seat.yz;
  return seat;
}

ivec2 entryOfBrick(uint number) { return ivec2(${brickTexels}u * (number % ${tableRow}u), number / ${tableRow}u); }

/** The texels of the page at a point: its brick, and the content of the brick. */
int pageOf(vec3 point, out ivec2 entry, out vec4 brick, out vec4 content) {
  ivec3 cell = ivec3(floor((point - origins[0]) / (side * factors[0])));
  uint number = texelFetch(pages, clamp(cell, ivec3(0), textureSize(pages, 0) - 1), 0).r;
  entry = entryOfBrick(number);
  brick = texelFetch(bricks, entry, 0);
  content = texelFetch(bricks, entry + ivec2(1, 0), 0);
  return int(number);
}

/** A point in voxels of a brick. */
vec3 insideBrick(vec3 point, vec4 brick) {
  int level = int(brick.w);
  return clamp((point - origins[level]) / factors[level] - brick.xyz * side, -0.5, side + 0.5);
}

/** The index of a part along y and z. */
vec2 partOf(vec3 inner) { return step(partShape.yz, inner.yz); }

float placeOfPart(vec4 places, vec2 part) {
  vec2 two = part.y > 0.5 ? places.zw : places.xy;
  return part.x > 0.5 ? two.y : two.x;
}

/** The place in the atlas that the first voxel of the brick would have beside a part, in texels. */
vec3 partCorner(float place, vec2 part) {
  return seatOf(place) * (partShape + 2.0) - vec3(0.0, part) * partShape;
}

/** The place of a point of a brick in the atlas, in texels; negative in parts of equal values. */
vec3 atlasPlace(vec3 inner, ivec2 entry) {
  vec2 part = partOf(inner);
  float place = placeOfPart(texelFetch(bricks, entry + ivec2(2, 0), 0), part);
  return place < 0.0 ? vec3(-1.0) : partCorner(place, part) + 1.0 + inner;
}

/** The extent of the cell that holds a point of a brick. */
vec4 cellAt(vec3 inner, vec4 content) {
  ivec3 cell = clamp(ivec3(inner / cellSide), ivec3(0), ivec3(${cellsPerSide - 1}));
  return texelFetch(cells, ivec3(seatOf(content.z)) * ${cellsPerSide} + cell, 0);
}

/** The value at a point of a slice; NaN if there is none. */
float sliceValue(vec3 point) {
  ivec2 entry;
  vec4 brick, content;
  int number = pageOf(point, entry, brick, content);
  if (number == 0 || content.z < 0.0) return number == 0 ? uintBitsToFloat(0x7fc00000u) : content.x;
  vec3 inner = insideBrick(point, brick), place = atlasPlace(inner, entry);
  if (place.x < 0.0) return cellAt(inner, content).x;
  return isSliceSmooth
    ? texture(atlas, place / vec3(textureSize(atlas, 0))).r
    : texelFetch(atlas, ivec3(floor(place)), 0).r;
}

/** The content of a brick; if a finer one has its middle, the value nearest to a point. */
vec4 contentOf(vec3 at, int level, vec3 middle, vec3 point, out ivec2 entry) {
  vec4 brick, content;
  if (pageOf(middle, entry, brick, content) > 0 && brick == vec4(at, float(level))) return content;
  float value = sliceValue(point);
  return vec4(value, value, -1.0, 0.0);
}

float leaving(vec3 start, vec3 inverse, vec3 low, vec3 high) {
  vec3 to = max((low - start) * inverse, (high - start) * inverse);
  return min(to.x, min(to.y, to.z));
}

void main() {
  vec2 at = vec2(gl_FragCoord.x - middle.x, middle.y - gl_FragCoord.y) * grain;
  vec3 aside = at.x * right + at.y * down;
  vec3 start = isPerspective ? from : from + aside;
  vec3 direction = isPerspective ? forward + aside : forward;
  float size = isPerspective ? sqrt(1.0 + dot(at, at) * pixel * pixel) : 1.0;
  direction = mix(direction, vec3(1e-9), lessThan(abs(direction), vec3(1e-9)));
  vec3 inverse = 1.0 / direction;
  vec3 a = (boxFrom - start) * inverse, b = (boxTo - start) * inverse;
  vec3 low = min(a, b), high = max(a, b);
  float enter = max(max(low.x, low.y), max(low.z, 0.0));
  float leave = min(high.x, min(high.y, high.z));
  float toward = dot(plane.xyz, direction), behind = dot(plane.xyz, start) - plane.w;
  facet = toward > 0.0 && -behind / toward > enter ? plane.xyz : step(enter, low);
  if (toward > 0.0) enter = max(enter, -behind / toward);
  else if (toward < 0.0) leave = min(leave, -behind / toward);
  else if (behind < 0.0) leave = enter;
  if (!(enter < leave)) { colour = ground; return; }

  // A slice is opaque: the ray ends there.
  vec4 back = ground;
  bool hasSlice = false;
  if (hasSlices) for (int i = 0; i < sliceCount; i++) {
    vec3 normal = slices[i].xyz;
    float along = dot(normal, direction), far = (slices[i].w - dot(normal, start)) / along;
    // The cut plane may lie between two voxels, and one of them is cut away.
    vec3 aside = normal * (1e-3 / dot(normal, normal));
    if (along == 0.0 || far < enter - 1e-3 || far >= leave) continue;
    float value = sliceValue(${isEven ? beyond : `pointAt(${beyond})`});
    if (value != value) continue;
    leave = far;
    hasSlice = true;
    back = ${back};
  }

  vec3 inside = 1.0 / vec3(textureSize(atlas, 0));
  float best = ${mode === "min" ? "3e38" : "-3e38"};
  float former = -3e38;
  vec4 total = vec4(0.0);
${isEven ? evenRay(modes[mode]) : unevenRay(modes[mode])}  colour = ${mode === "labels" ? result : `mix(ground, ${result}, opacity)`};
}`;
}
