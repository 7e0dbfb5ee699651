/** Standard base64 (RFC 4648, section 4), with padding. */

/** Decodes a base64 string; returns undefined if it is invalid or decodes to more than `maxBytes` bytes. */
export function decodeBase64(text: string, maxBytes = Number.POSITIVE_INFINITY): Uint8Array | undefined {
  if (text.length % 4 !== 0 || (text.length / 4) * 3 - 2 > maxBytes || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    return undefined;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Number of bytes per step, limited by the number of arguments of one call. */
const step = 0x6000;

export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += step) {
    binary += String.fromCharCode(...bytes.subarray(at, at + step));
  }
  return btoa(binary);
}
