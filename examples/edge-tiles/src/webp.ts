/** Lossless WebP images, encoded by libwebp (@jsquash/webp on npm). */
import encode, { init } from "@jsquash/webp/encode.js";
import encoder from "@jsquash/webp/codec/enc/webp_enc_simd.wasm";
import type { Shaded } from "./shade.js";

let started: Promise<unknown> | undefined;

/** @param palette 256 colours of three bytes each; the first one is transparent. */
export async function encodeWebp({ shades, size }: Shaded, palette: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  started ??= init(encoder);
  await started;
  const data = new Uint8ClampedArray(4 * shades.length);
  shades.forEach((shade, pixel) => {
    if (shade === 0) return;
    data.set(palette.subarray(3 * shade, 3 * shade + 3), 4 * pixel);
    data[4 * pixel + 3] = 255;
  });
  // Fastest: more effort takes many times as long and saves a few per cent.
  const image = { data, width: size, height: size, colorSpace: "srgb" } as Parameters<typeof encode>[0];
  return new Uint8Array(await encode(image, { lossless: 1, method: 0, quality: 0 }));
}
