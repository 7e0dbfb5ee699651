/** Reads geometries in Well-known Binary (ISO, and PostGIS's extension), the encoding of GeoParquet. */
import { text } from "../language/text.js";
import { type GeometryBuilder, InvalidLayer } from "./features.js";

/** Maximum nesting of collections. */
const maxDepth = 8;

const damaged = () => new InvalidLayer(text.layerErrors.geometry);

/** Adds a geometry to a feature. Heights and measures are skipped. @throws InvalidLayer */
export function addWkb(builder: GeometryBuilder, bytes: Uint8Array): void {
  new WkbReader(bytes).add(builder, 0);
}

class WkbReader {
  readonly #view: DataView;
  #at = 0;
  #isLittle = true;
  /** Numbers of a position. */
  #size = 2;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  add(builder: GeometryBuilder, depth: number): void {
    if (depth > maxDepth) throw new InvalidLayer(text.layerErrors.nested(maxDepth));
    const kind = this.#header();
    if (kind === 1) this.#point(builder);
    else if (kind === 2) this.#path(builder, false);
    else if (kind === 3)
      for (let i = 0, rings = this.#count(4); i < rings; i++) this.#path(builder, true, i > 0);
    else if (kind >= 4 && kind <= 7) for (let i = this.#count(5); i > 0; i--) this.add(builder, depth + 1);
    else throw new InvalidLayer(text.layerErrors.geometryType(kind));
  }

  /** An empty point has no coordinates. */
  #point(builder: GeometryBuilder): void {
    const [x, y] = this.#position();
    if (!Number.isNaN(x) || !Number.isNaN(y)) builder.point(x, y);
  }

  #header(): number {
    this.#need(5);
    this.#isLittle = this.#view.getUint8(this.#at) === 1;
    const type = this.#view.getUint32(this.#at + 1, this.#isLittle);
    this.#at += 5;
    if (type & 0x20000000) {
      this.#need(4); // the reference system
      this.#at += 4;
    }
    const plain = type & 0x0fffffff;
    const iso = Math.floor(plain / 1000);
    const [hasZ, hasM] = [
      (type & 0x80000000) !== 0 || iso === 1 || iso === 3,
      (type & 0x40000000) !== 0 || iso >= 2,
    ];
    this.#size = 2 + Number(hasZ) + Number(hasM);
    return plain % 1000;
  }

  #need(bytes: number): void {
    if (this.#at + bytes > this.#view.byteLength) throw damaged();
  }

  /** @param least bytes of an item */
  #count(least: number): number {
    this.#need(4);
    const count = this.#view.getUint32(this.#at, this.#isLittle);
    this.#at += 4;
    this.#need(count * least);
    return count;
  }

  #position(): [number, number] {
    this.#need(8 * this.#size);
    const [x, y] = [
      this.#view.getFloat64(this.#at, this.#isLittle),
      this.#view.getFloat64(this.#at + 8, this.#isLittle),
    ];
    this.#at += 8 * this.#size;
    return [x, y];
  }

  #path(builder: GeometryBuilder, isRing: boolean, isHole = false): void {
    builder.begin(isRing);
    for (let i = this.#count(8 * this.#size); i > 0; i--) builder.vertex(...this.#position());
    builder.end(isHole);
  }
}
