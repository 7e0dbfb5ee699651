/** Colors, where a terminal shows them. */

type Stream = Pick<NodeJS.WriteStream, "isTTY">;

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], yellow: [33, 39], cyan: [36, 39] } as const;

export type Colors = Readonly<Record<keyof typeof codes, (text: string) => string>>;

/**
 * Whether a stream is to have colors: terminals, unless NO_COLOR is set to something (https://no-color.org) or TERM is
 * "dumb"; anything where FORCE_COLOR is set, but to 0 or false, which is "no". FORCE_COLOR counts before NO_COLOR, as in Node.
 */
function hasColors({ isTTY }: Stream, env = process.env): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env;
  if (forced !== undefined) return !/^(0|false)$/.test(forced);
  return Boolean(isTTY) && !none && terminal !== "dumb";
}

/**
 * What colors text that goes to a stream, or leaves it as it is. Text from a store must be printable before: escapes
 * are what `printable` takes away.
 */
export function colorsFor(stream: Stream): Colors {
  const isOn = hasColors(stream);
  const paints = Object.entries(codes).map(([name, [on, off]]) => [
    name,
    (text: string) => (isOn && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text),
  ]);
  return Object.fromEntries(paints) as Colors;
}
