/** Reads strings of fixed length. */

/** Returns the bytes of a NUL-padded string. */
export function withoutPadding(item: Uint8Array): Uint8Array {
  let end = item.length;
  while (end > 0 && item[end - 1] === 0) end--;
  return item.subarray(0, end);
}

/** Decodes a NUL-padded UTF-32 string; code points beyond Unicode become U+FFFD. */
export function utf32String(item: Uint8Array): string {
  const view = new DataView(item.buffer, item.byteOffset, item.byteLength);
  let text = "";
  for (let at = 0; at < item.byteLength; at += 4) {
    const code = view.getUint32(at, true);
    text += code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  }
  return withoutNuls(text);
}

/**
 * Removes trailing U+0000. A loop, because a regular expression takes quadratic time for strings with many
 * inner ones.
 */
export function withoutNuls(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end--;
  return text.slice(0, end);
}
