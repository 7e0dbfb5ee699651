/** Structs whose numbers are no longer than they can be. */
import type { Reader } from "../../vendor/hyparquet.js";
import { bad } from "./fields.js";

/** A number of 64 bits takes ten bytes, and what stands around it in a struct a few more. */
const mostInRow = 32;

/** Which TypeScript's types let no class extend. */
const View = DataView as new (buffer: ArrayBufferLike, offset: number, length: number) => DataView;

/** hyparquet puts numbers together at a cost that grows with the square of their length, and reads on as long as they do. */
class GuardedView extends View {
  #run = 0;

  override getUint8(at: number): number {
    const byte = super.getUint8(at);
    this.#run = byte < 0x80 ? 0 : this.#run + 1;
    if (this.#run > mostInRow) throw bad("it has a number that is too long");
    return byte;
  }
}

/** A reader of structs. */
export const structReader = (bytes: Uint8Array): Reader => ({
  view: new GuardedView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
});
