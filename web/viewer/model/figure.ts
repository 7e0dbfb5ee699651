/** Sizes and formats of figures. */

/** A picture to draw. */
export interface PictureOptions {
  /** "svg": text and rulers as vectors around an embedded picture. Default: "png". */
  readonly type?: "png" | "svg" | undefined;
  /** Width in CSS pixels, of which an inch has 96. Default: the width on the screen. */
  readonly width?: number | undefined;
  /** Height in CSS pixels. Default: that of the content. */
  readonly height?: number | undefined;
  /** Pixels per inch. Default: as many as the screen has per 96 CSS pixels. */
  readonly dpi?: number | undefined;
  /** Whether the title is included. Default: true. */
  readonly isTitled?: boolean | undefined;
  /** Whether a scale bar is drawn beside the legend, if lengths are known. Default: true. */
  readonly hasScaleBar?: boolean | undefined;
}

const optionNames: readonly string[] = [
  "type",
  "width",
  "height",
  "dpi",
  "isTitled",
  "hasScaleBar",
] satisfies (keyof PictureOptions)[];

/** @throws TypeError for an unknown option; RangeError for an unknown type, and for sizes that figures cannot have */
export function checkPictureOptions(options: PictureOptions): void {
  for (const name of Object.keys(options))
    if (!optionNames.includes(name))
      throw new TypeError(`pictures have no option "${name}"; expected ${optionNames.join(", ")}`);
  const { type } = options;
  if (type !== undefined && type !== "png" && type !== "svg")
    throw new RangeError(`type must be "png" or "svg", got ${JSON.stringify(type)}`);
  checkNumber("width", options.width, figureLimits, "CSS pixels");
  checkNumber("height", options.height, figureLimits, "CSS pixels");
  checkNumber("dpi", options.dpi, dpiLimits, "pixels per inch");
  for (const name of ["isTitled", "hasScaleBar"] as const)
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw new RangeError(`${name} must be true or false, got ${JSON.stringify(options[name])}`);
}

function checkNumber(
  name: string,
  value: unknown,
  { least, most }: { readonly least: number; readonly most: number },
  unit: string,
): void {
  if (value === undefined || (typeof value === "number" && value >= least && value <= most)) return;
  throw new RangeError(`${name} must be ${least} to ${most} ${unit}, got ${String(value)}`);
}

export type VideoFormat = "webm" | "mp4";

/** A video of all slices along an axis. */
export interface VideoOptions extends Omit<PictureOptions, "type"> {
  readonly format: VideoFormat;
  readonly axis: number;
  /** Slices per second. */
  readonly rate: number;
  readonly signal: AbortSignal;
  /** Called with the number of slices recorded. */
  onProgress(done: number, total: number): void;
}

/** Size of videos unless another one is chosen: 1920 by 1080 pixels, with text of twice the size. */
export const videoSize = { width: 960, height: 540, dpi: 192 } as const;

/** CSS pixels per inch. */
export const cssResolution = 96;

/** CSS pixels per unit of length. */
export const lengthUnits = { mm: cssResolution / 25.4, in: cssResolution, px: 1 } as const;
export type LengthUnit = keyof typeof lengthUnits;

/** Widths and heights that figures may have, in CSS pixels. */
export const figureLimits = { least: 160, most: 8000 } as const;
export const dpiLimits = { least: 24, most: 1200 } as const;
