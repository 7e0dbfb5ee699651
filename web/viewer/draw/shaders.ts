/** The shaders: one fragment shader per kind of texel, from one template. */
import type { TexelType } from "./texels.js";

export const vertexShader = `#version 300 es
uniform vec2 start;   // the first corner in clip space
uniform vec4 sides;   // from there along rows and columns
uniform vec4 part;    // left, top, right, bottom in texels
in vec2 corner;
out vec2 texel;
void main() {
  gl_Position = vec4(start + corner.x * sides.xy + corner.y * sides.zw, 0.0, 1.0);
  texel = mix(part.xy, part.zw, corner);
}`;

/** How values are read from a texture, by kind of texel. */
const samplers = {
  float: {
    sampler: "sampler2D",
    scalar: "float",
    // Differences of nearby floats are exact.
    position: "float part = (value - low.x) * scale;",
  },
  int: {
    sampler: "isampler2D",
    scalar: "int",
    // In integers, which have more digits than floats: first the whole part of the limit, then its fraction.
    position: `float part = ((value >= whole ? float(uint(value) - uint(whole)) : -float(uint(whole) - uint(value))) - low.x) * scale;`,
  },
  uint: {
    sampler: "usampler2D",
    scalar: "uint",
    position: `float part = ((value >= whole ? float(value - whole) : -float(whole - value)) - low.x) * scale;`,
  },
} as const;

export type SamplerKind = keyof typeof samplers;

export const samplerType = (type: TexelType): SamplerKind =>
  type === "f32" ? "float" : type.startsWith("u") ? "uint" : "int";

/** Codes of labels of 64 bits, and the colours of codes, as in base/label-pixels.ts and draw/table.ts. */
export const labelFunctions = `
uniform uint listed[128]; // codes of labels without an entry: those that stand out, then hidden ones
uniform ivec3 lists;    // number of the first kind, of both; 1 if other labels are faint
uniform vec4 plain;     // of labels without an entry; transparent if each has its own

vec4 entry(int at) {
  return texelFetch(colours, ivec2(at & 255, at >> 8), 0);
}

uint codeOf(uint low, uint high) {
  if (high == 0u && low < 65536u) return low;
  uint above = ((low >> 23) | (high << 9)) ^ (high >> 23);
  return 65536u + ((low + above * 0x9e3779b1u) & 0x7fffffu);
}

vec4 computedColour(uint code) {
  uint mixed = ((code - 65536u) * 0x5bd1e9u) & 0x7fffffu;
  mixed ^= mixed >> 11;
  mixed = (mixed * 0x297a2du) & 0x7fffffu;
  mixed ^= mixed >> 12;
  uint rgb = (mixed << 1) | 1u;
  return vec4(float(rgb >> 16), float((rgb >> 8) & 255u), float(rgb & 255u), 255.0) / 255.0;
}

vec4 labelled(uint code) {
  if (code < 65536u) return entry(int(code));
  if (code == 0xffffffffu) return vec4(0.0);
  bool isFaint = lists.z == 1;
  for (int i = 0; i < lists.y; i++) if (listed[i] == code) {
    if (i >= lists.x) return entry(0);
    isFaint = false;
  }
  vec4 own = plain.a > 0.0 ? plain : computedColour(code);
  vec4 back = entry(0);
  if (isFaint) return back.a == 0.0 ? vec4(own.rgb, 1.0 / 6.0) : vec4(mix(back.rgb, own.rgb, 1.0 / 6.0), 1.0);
  return own;
}`;

/** Colours tiles. `mode` is 0 for maps, 1 for labels, 2 for codes of labels. */
export function fragmentShader(kind: SamplerKind): string {
  const { sampler, scalar, position } = samplers[kind];
  return `#version 300 es
precision highp float;
precision highp int;
precision highp ${sampler};
uniform ${sampler} values;
uniform sampler2D colours;
uniform vec2 low;       // rest of the lower limit; 1 if the range is empty
uniform ${kind === "float" ? "float" : scalar} whole;
uniform float scale;
uniform int bend;       // 0 linear, 1 logarithmic, 2 symmetric logarithmic
uniform vec2 real;      // value of a texel of 0, and of one unit of texels
uniform vec3 curve;     // start, factor and threshold of a bent scale
uniform int mode;
uniform int marked;
uniform vec3 below;
uniform vec3 above;
uniform ivec2 grain;    // samples along the sides of a pixel
uniform float opacity;
uniform int outlined;
in vec2 texel;
out vec4 colour;

${labelFunctions}

// Of a label, or of an entry.
uint labelCode(${scalar} value) {
  if (mode == 2) return uint(value);
  ${
    kind === "float"
      ? `if (isnan(value) || isinf(value)) return 0xffffffffu;
  return codeOf(uint(int(value)), value < 0.0 ? 0xffffffffu : 0u);`
      : `return codeOf(uint(value), ${kind === "int" ? "value < 0 ? 0xffffffffu : 0u" : "0u"});`
  }
}

vec4 mapped(${scalar} value) {
  ${
    kind === "float"
      ? `if (mode != 2 && isnan(value)) return vec4(0.0);
  if (mode != 2 && isinf(value)) return vec4(value > 0.0 ? above : below, 1.0);`
      : ""
  }
  if (mode > 0) return labelled(labelCode(value));
  ${position}
  if (bend > 0) {
    float whole_ = float(value) * real.y + real.x;
    float bent = bend == 1
      ? (whole_ > 0.0 ? log(whole_) : -3.0e38)
      : sign(whole_) * log(1.0 + abs(whole_) / curve.z);
    part = (bent - curve.x) * curve.y;
  }
  if (low.y > 0.5) part = part > 0.0 ? 257.0 : part < 0.0 ? -1.0 : 128.0;
  // A little beyond, for the limits themselves are rounded.
  if (marked == 0 || (part >= -0.01 && part <= 256.01)) return entry(int(clamp(part, 0.0, 255.0)));
  return vec4(part < 0.0 ? below : above, 1.0);
}

// Whether the neighbours of an element have the same label.
bool isInner(ivec2 at, ivec2 last) {
  uint own = labelCode(texelFetch(values, at, 0).r);
  ivec2 from = max(at - 1, ivec2(0)), to = min(at + 1, last);
  return own == labelCode(texelFetch(values, ivec2(from.x, at.y), 0).r)
    && own == labelCode(texelFetch(values, ivec2(to.x, at.y), 0).r)
    && own == labelCode(texelFetch(values, ivec2(at.x, from.y), 0).r)
    && own == labelCode(texelFetch(values, ivec2(at.x, to.y), 0).r);
}

void main() {
  ivec2 last = textureSize(values, 0) - 1;
  vec2 dx = dFdx(texel), dy = dFdy(texel);
  vec4 sum = vec4(0.0);
  for (int j = 0; j < grain.y; j++) for (int i = 0; i < grain.x; i++) {
    vec2 inside = (vec2(i, j) + 0.5) / vec2(grain) - 0.5;
    ivec2 at = clamp(ivec2(floor(texel + inside.x * dx + inside.y * dy)), ivec2(0), last);
    // Inside an outline is the background.
    vec4 one = outlined == 1 && isInner(at, last) ? entry(0) : mapped(texelFetch(values, at, 0).r);
    sum += vec4(one.rgb * one.a, one.a);
  }
  colour = sum * (opacity / float(grain.x * grain.y));
}`;
}

/** Patterns over parts without data: 0 hatching, 1 dots. */
export const patternShader = `#version 300 es
precision highp float;
uniform int pattern;
uniform float distance_;  // device pixels from one line or dot to the next
uniform vec3 light;
uniform vec3 dark;
in vec2 texel;
out vec4 colour;
void main() {
  vec2 at = gl_FragCoord.xy;
  if (pattern == 0) {
    float line = mod(at.x + at.y, distance_);
    colour = vec4(line < distance_ * 0.4 ? dark : light, 1.0);
  } else {
    vec2 from = mod(at, distance_) - distance_ * 0.5;
    if (dot(from, from) > distance_ * distance_ * 0.03) discard;
    colour = vec4(dark, 1.0);
  }
}`;

/** Draws one picture onto another, for layers above the first. */
export const copyShader = `#version 300 es
precision highp float;
uniform sampler2D picture;
out vec4 colour;
void main() {
  colour = texelFetch(picture, ivec2(gl_FragCoord.xy), 0);
}`;
