/** Parts of the fragment shader of a volume that differ by mode, and the opacities of the colours of a layer. */
import { type OpacityCurve, opacityAt } from "../model/channels.js";
import type { VolumeMode } from "../model/volume.js";
import { solid } from "./labels.js";

/** A projection of the values along a ray, or the first label. */
export type RayMode = VolumeMode | "labels";

/** Parts of the shader that differ by mode. */
export interface ModeCode {
  /** Whether the samples of a brick or cell with values from `least` to `most` change nothing. */
  readonly skip: string;
  /** Adds `part` samples of the value `least`. */
  readonly uniform: string;
  /** Adds the sample `v`. */
  readonly sample: string;
  /** Ends the ray early. */
  readonly stop: string;
  /** The colour of the ray. */
  readonly result: string;
}

const extreme = (compare: string, bound: string, opacity: string): ModeCode => ({
  skip: `!(${bound} ${compare} best)`,
  uniform: `if (least ${compare} best) best = least;`,
  sample: `if (v ${compare} best) best = v;`,
  stop: compare === ">" ? "best >= range.z" : "best <= range.x",
  result: `abs(best) > 2.9e38 ? back : mix(back, mapped(best), hasSlice ? ${opacity} : 1.0)`,
});

const blend = "total += (1.0 - total.a) * own.a * vec4(own.rgb, 1.0);";

/** Adds a label unless a fainter or solid one was met before; a solid one ends the ray. */
const label = (value: string, light: string) => `
        if (${value} != 0.0) {
          vec4 own = labelled(${value});
          if (own.a > 0.0 && (own.a > ${solid} || best < 0.0)) {
            total += (1.0 - total.a) * covering(own, ${light});
            best = own.a > ${solid} ? 1.0 : 0.5;
          }
        }`;

/** The first label that is not transparent, lit by the direction of its surface, or of the cut. */
const labels: ModeCode = {
  skip: "least == 0.0 && most == 0.0",
  uniform: label("least", "litFacet()"),
  sample: `${label("v", "depth + j < 0.75 ? litFacet() : facing(place, scale, v)")}
        if (best > 0.9) break;`,
  stop: "best > 0.9",
  result: "total + (1.0 - total.a) * back",
};

export const modes: Readonly<Record<RayMode, ModeCode>> = {
  labels,
  max: extreme(">", "most", "entryOf(best).a"),
  min: extreme("<", "least", "entryOf(range.x + range.z - best).a"),
  mean: {
    skip: "false",
    uniform: "total += vec4(least, 0.0, 0.0, 1.0) * part;",
    sample: "if (v == v) total += vec4(v, 0.0, 0.0, 1.0);",
    stop: "false",
    result:
      "total.a > 0.0 ? mix(back, mapped(total.r / total.a), hasSlice ? entryOf(total.r / total.a).a : 1.0) : back",
  },
  composite: {
    skip: "most < opaque.x || least >= opaque.y",
    uniform: `vec4 own = texelFetch(colours, ivec2(entryAt(least), level + 1), 0);
        own.a = 1.0 - pow(1.0 - own.a, part);
        ${blend}`,
    sample: `if (v == v) {
          vec4 own = texelFetch(colours, ivec2(entryAt(v), level + 1), 0);
          ${blend}
        }`,
    stop: "total.a > 0.995",
    result: "total + (1.0 - total.a) * back",
  },
  surface: {
    skip: "most < surface",
    uniform: "if (least >= surface) { total = vec4(mapped(least).rgb * litFacet(), 1.0); }",
    sample: `if (v >= surface) {
        vec3 to = place;
        if (former < -2.9e38) former = texture(atlas, place - way).r;
        if (former < surface) to -= way * ((v - surface) / (v - former));
        total = shaded(to, scale);
        break;
      }
      former = v;`,
    stop: "total.a > 0.0",
    result: "total.a > 0.0 ? total : back",
  },
};

/** The opacity of one voxel for each of 256 colours. The first has that of the lower end, the last of the upper. */
export const opacityTable = (curve: OpacityCurve | undefined): readonly number[] =>
  Array.from({ length: 256 }, (_, i) => opacityAt(curve, i / 255));

/** The first colour that is not transparent, and the one after the last; all if none is. */
export function opaqueEntries(curve: OpacityCurve | undefined): readonly [first: number, end: number] {
  const table = opacityTable(curve);
  const first = table.findIndex((opacity) => opacity > 0);
  return first < 0 ? [256, 256] : [first, table.findLastIndex((opacity) => opacity > 0) + 1];
}
