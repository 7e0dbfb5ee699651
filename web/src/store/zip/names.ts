/** Names in zip archives. */
import { kept, textDecoder } from "../../util/platform.js";

/** Upper half of code page 437, in which names are written that are not marked as UTF-8. */
const page437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

const loose = kept(() => textDecoder("utf-8", { ignoreBOM: true }));
const strict = kept(() => textDecoder("utf-8", { ignoreBOM: true, fatal: true }));

/**
 * Decodes a name. Many writers put UTF-8 without saying so: what is valid UTF-8 is taken for it, everything
 * else for code page 437.
 */
export function decodeName(bytes: Uint8Array, isUtf8: boolean): string {
  if (isUtf8) return loose().decode(bytes);
  try {
    return strict().decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : page437[byte - 128]!)).join(
      "",
    );
  }
}
