/** Strings of fixed length, read. */

/** The bytes of a NUL-padded string. */
export function withoutPadding(item: Uint8Array): Uint8Array {
  let end = item.length;
  while (end > 0 && item[end - 1] === 0) end--;
  return item.subarray(0, end);
}

/** A NUL-padded UTF-32 string; code points beyond Unicode become U+FFFD. */
export function utf32String(item: Uint8Array): string {
  const view = new DataView(item.buffer, item.byteOffset, item.byteLength);
  let text = "";
  for (let at = 0; at < item.byteLength; at += 4) {
    const code = view.getUint32(at, true);
    text += code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
  }
  return withoutNuls(text);
}

/** A text without U+0000 at its end; in a loop, for an expression takes the square of the time for many of them inside. */
export function withoutNuls(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end--;
  return text.slice(0, end);
}
