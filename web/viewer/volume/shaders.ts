/**
 * The fragment shader of a volume: a ray passes from brick to brick, and takes samples only in bricks whose extent
 * of values can change the result.
 */
import type { VolumeMode } from "../model/volume.js";
import { side } from "./bricks.js";

/** Maximum number of levels of a volume. */
export const maxLevels = 16;

/** Parts of the shader that differ by mode. */
interface ModeCode {
  /** Whether the samples of a brick with values from `least` to `most` change nothing. */
  readonly skip: string;
  /** Adds `count` samples of the value `least`. */
  readonly uniform: string;
  /** Adds the sample `v`. */
  readonly sample: string;
  /** Ends the ray early. */
  readonly stop: string;
  /** The colour of the ray. */
  readonly result: string;
}

const extreme = (compare: string, bound: string): ModeCode => ({
  skip: `!(${bound} ${compare} best)`,
  uniform: `if (least ${compare} best) best = least;`,
  sample: `if (v ${compare} best) best = v;`,
  stop: compare === ">" ? "best >= range.z" : "best <= range.x",
  result: "abs(best) > 2.9e38 ? ground : mapped(best)",
});

/** Colour and opacity of a sample. The opacity by value is for one voxel of level 0. */
const blend = `float opacity = clamp((v - range.x) * range.y / 256.0, 0.0, 1.0);
      opacity = 1.0 - pow(1.0 - min(opacity * opacity, 0.999), thickness);
      total += (1.0 - total.a) * opacity * vec4(mapped(v).rgb, 1.0);`;

const modes: Readonly<Record<VolumeMode, ModeCode>> = {
  max: extreme(">", "most"),
  min: extreme("<", "least"),
  mean: {
    skip: "false",
    uniform: "total += vec4(least, 0.0, 0.0, 1.0) * count;",
    sample: "if (v == v) total += vec4(v, 0.0, 0.0, 1.0);",
    stop: "false",
    result: "total.a > 0.0 ? mapped(total.r / total.a) : ground",
  },
  composite: {
    skip: "most <= range.x",
    uniform: `float v = least;
      thickness *= count;
      ${blend}`,
    sample: `if (v == v) {
      ${blend}
      }`,
    stop: "total.a > 0.995",
    result: "total + (1.0 - total.a) * ground",
  },
  surface: {
    skip: "most < surface",
    uniform: "if (least >= surface) { total = vec4(mapped(least).rgb * 0.6, 1.0); }",
    sample: `if (v >= surface) {
        vec3 to = place;
        if (former < surface) to -= way * ((v - surface) / (v - former));
        total = shaded(to, scale);
        break;
      }
      former = v;`,
    stop: "total.a > 0.0",
    result: "total.a > 0.0 ? total : ground",
  },
};

export function volumeShader(mode: VolumeMode): string {
  const { skip, uniform, sample, stop, result } = modes[mode];
  return `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler3D;
precision highp usampler3D;
uniform sampler3D atlas;
uniform usampler3D pages;
uniform sampler2D bricks;
uniform sampler2D colours;
uniform vec3 from, right, down, forward;   // rays, in voxels of level 0
uniform vec2 middle;      // of the picture, in its pixels
uniform float grain;      // pixels of the view per pixel of the picture
uniform float pixel;
uniform bool isPerspective;
uniform vec3 extent;
uniform vec3 spacing;
uniform vec3 origins[${maxLevels}];
uniform vec3 factors[${maxLevels}];
uniform vec3 steps[${maxLevels}];          // distance between samples; 1 if bricks consist of whole cells; first sample
uniform ivec2 row;        // bricks of the atlas along x and y
uniform vec3 range;       // lower limit, colours per value, upper limit
uniform float surface;
uniform vec4 ground;
out vec4 colour;

const float side = ${side}.0;

vec4 mapped(float value) {
  int entry = int(clamp((value - range.x) * range.y, 0.0, 255.0));
  return vec4(texelFetch(colours, ivec2(entry, 0), 0).rgb, 1.0);
}

/** Lighting from the eye, by the gradient over one voxel. */
vec4 shaded(vec3 at, vec3 scale) {
  vec3 e = 0.5 * scale;
  vec3 slope = vec3(
    texture(atlas, at + vec3(e.x, 0, 0)).r - texture(atlas, at - vec3(e.x, 0, 0)).r,
    texture(atlas, at + vec3(0, e.y, 0)).r - texture(atlas, at - vec3(0, e.y, 0)).r,
    texture(atlas, at + vec3(0, 0, e.z)).r - texture(atlas, at - vec3(0, 0, e.z)).r) / spacing;
  float facing = abs(dot(normalize(slope + 1e-20), normalize(forward * spacing)));
  return vec4(mapped(texture(atlas, at).r).rgb * (0.25 + 0.75 * facing), 1.0);
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
  vec3 a = -start * inverse, b = (extent - start) * inverse;
  vec3 low = min(a, b), high = max(a, b);
  float enter = max(max(low.x, low.y), max(low.z, 0.0));
  float leave = min(high.x, min(high.y, high.z));
  if (!(enter < leave)) { colour = ground; return; }

  ivec3 grid = textureSize(pages, 0);
  vec3 inside = 1.0 / vec3(textureSize(atlas, 0));
  float nudge = 1e-3 / (size * max(max(abs(direction.x), abs(direction.y)), abs(direction.z)));
  float best = ${mode === "min" ? "3e38" : "-3e38"};
  float former = -3e38;
  vec4 total = vec4(0.0);
  float t = enter;
  for (int i = 0; i < 4096 && t < leave; i++) {
    if (${stop}) break;
    ivec3 cell = clamp(ivec3(floor((start + direction * (t + nudge)) / side)), ivec3(0), grid - 1);
    vec3 corner = vec3(cell) * side;
    float next = leaving(start, inverse, corner, corner + side);
    int number = int(texelFetch(pages, cell, 0).r);
    if (number == 0) { t = max(next, t + nudge); continue; }
    ivec2 entry = ivec2((2 * number) % 512, (2 * number) / 512);
    vec4 brick = texelFetch(bricks, entry, 0);
    vec4 content = texelFetch(bricks, entry + ivec2(1, 0), 0);
    int level = int(brick.w);
    vec3 factor = factors[level];
    vec3 first = origins[level] + brick.xyz * side * factor;
    if (steps[level].y > 0.5) next = max(next, leaving(start, inverse, first, first + side * factor));
    next = min(next, leave);
    float least = content.x, most = content.y;
    float interval = steps[level].x / size;
    // Samples lie at the same places along the ray whatever the bricks are. Along an axis some are in the middle
    // of voxels.
    float phase = enter + steps[level].z / size;
    float s = phase + ceil((t - phase) / interval) * interval;
    float count = max(0.0, ceil((next - s) / interval));
    float thickness = steps[level].x;
    if (content.z < 0.0) {
      if (count > 0.0) { ${uniform} former = least; }
    } else if (!(${skip})) {
      int slot = int(content.z);
      vec3 place = vec3(slot % row.x, (slot / row.x) % row.y, slot / (row.x * row.y)) * (side + 2.0) + 1.0;
      vec3 scale = inside;
      place = (place + (start + direction * s - first) / factor) * scale;
      vec3 way = direction * interval / factor * scale;
      for (int j = int(count); j > 0; j--, place += way) {
        float v = texture(atlas, place).r;
        ${sample}
      }
    }${mode === "surface" ? " else former = -3e38;" : ""}
    t = max(next, t + nudge);
  }
  colour = ${result};
}`;
}
