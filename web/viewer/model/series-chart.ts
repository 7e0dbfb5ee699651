/** A chart of series as the paths of an SVG image, and series as CSV. */

/** Values along an axis: the mean of the elements, weighted by their areas on maps, and their extremes. */
export interface RegionSeries {
  readonly mean: ArrayLike<number>;
  readonly min: ArrayLike<number>;
  readonly max: ArrayLike<number>;
}

export interface NamedSeries extends RegionSeries {
  readonly name: string;
  readonly color: string;
}

export interface ChartFrame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Chart {
  /** Smallest and greatest value. */
  readonly low: number;
  readonly high: number;
  readonly lines: readonly { readonly line: string; readonly band: string }[];
}

/** Horizontal position of a step. */
export const stepPosition = ({ left, right }: ChartFrame, step: number, steps: number): number =>
  left + ((right - left) * (step + 0.5)) / steps;

/** The step at a horizontal position. */
export const stepAt = ({ left, right }: ChartFrame, x: number, steps: number): number =>
  Math.min(Math.max(Math.floor(((x - left) / (right - left)) * steps), 0), steps - 1);

const brief = (value: number) => value.toFixed(2).replace(/\.?0+$/, "");

/** Lines of the means, inside the bands from the minima to the maxima; missing values are gaps. */
export function seriesChart(all: readonly RegionSeries[], frame: ChartFrame): Chart {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { min, max } of all)
    for (let i = 0; i < min.length; i++) {
      if (min[i]! < low) low = min[i]!;
      if (max[i]! > high) high = max[i]!;
    }
  const size = high - low || 1;
  const y = (value: number) => frame.bottom - ((frame.bottom - frame.top) * (value - low)) / size;
  const lines = all.map(({ mean, min, max }) => {
    const { length } = mean;
    const at = (values: ArrayLike<number>, i: number) =>
      `${brief(stepPosition(frame, i, length))} ${brief(y(values[i]!))}`;
    const line: string[] = [];
    const band: string[] = [];
    for (const [from, to] of runs(mean)) {
      const steps = Array.from({ length: to - from }, (_, i) => from + i);
      // A single value is a point: a line of no length with round ends.
      line.push(`M${steps.map((i) => at(mean, i)).join("L")}${to - from === 1 ? "h0" : ""}`);
      band.push(
        `M${[...steps.map((i) => at(max, i)), ...steps.reverse().map((i) => at(min, i))].join("L")}Z`,
      );
    }
    return { line: line.join(""), band: band.join("") };
  });
  return { low, high, lines };
}

/** Intervals of steps with values. */
function runs(values: ArrayLike<number>): [from: number, to: number][] {
  const found: [number, number][] = [];
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) continue;
    const last = found.at(-1);
    if (last?.[1] === i) last[1] = i + 1;
    else found.push([i, i + 1]);
  }
  return found;
}

const field = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

/** A row for each step: its position, then mean, minimum and maximum of each series. */
export function seriesCsv(axis: string, steps: readonly string[], all: readonly NamedSeries[]): string {
  const columns = ["mean", "min", "max"] as const;
  const head = [axis, ...all.flatMap(({ name }) => columns.map((column) => `${name} ${column}`))];
  const rows = steps.map((step, i) => {
    const values = all.flatMap((series) => columns.map((column) => series[column][i]));
    return [step, ...values.map((value) => (Number.isFinite(value) ? String(value) : ""))];
  });
  return `${[head, ...rows].map((row) => row.map(field).join(",")).join("\r\n")}\r\n`;
}
