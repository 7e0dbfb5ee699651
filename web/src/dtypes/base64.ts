/** Standard base64 (RFC 4648, section 4), with padding. */

/** The bytes of a base64 text; undefined for anything else, and for more bytes than there may be. */
export function decodeBase64(text: string, maxBytes = Number.POSITIVE_INFINITY): Uint8Array | undefined {
  if (text.length % 4 !== 0 || (text.length / 4) * 3 - 2 > maxBytes || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    return undefined;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Bytes per step: what may be passed as arguments of one call. */
const step = 0x6000;

export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += step) {
    binary += String.fromCharCode(...bytes.subarray(at, at + step));
  }
  return btoa(binary);
}
