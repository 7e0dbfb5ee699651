/** Writes small NetCDF-3 files (64-bit offset). */

export interface NewVariable {
  readonly dimensions: readonly string[];
  readonly values: readonly number[];
  readonly type?: "int16" | "float64";
  readonly attributes?: Readonly<Record<string, string>>;
}

const sizes = { int16: 2, float64: 8 };

class Writer {
  readonly parts: Buffer[] = [];

  u32(...values: number[]): void {
    for (const value of values) {
      const word = Buffer.alloc(4);
      word.writeUInt32BE(value);
      this.parts.push(word);
    }
  }

  text(value: string): void {
    const bytes = Buffer.from(value);
    this.u32(bytes.length);
    this.padded(bytes);
  }

  padded(bytes: Buffer): void {
    this.parts.push(bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4));
  }

  attributes(attributes: Readonly<Record<string, string>>): void {
    const entries = Object.entries(attributes);
    this.u32(entries.length === 0 ? 0 : 12, entries.length);
    for (const [name, value] of entries) {
      this.text(name);
      this.u32(2);
      this.text(value);
    }
  }
}

/**
 * Returns a file with variables that are not in records.
 * @param dimensions lengths by name.
 */
export function netcdf3(
  dimensions: Readonly<Record<string, number>>,
  variables: Readonly<Record<string, NewVariable>>,
): Uint8Array {
  const names = Object.keys(dimensions);
  const list = Object.entries(variables);
  const data = list.map(([, { values, type = "float64" }]) => {
    const bytes = Buffer.alloc(4 * Math.ceil((values.length * sizes[type]) / 4));
    for (const [i, value] of values.entries())
      if (type === "int16") bytes.writeInt16BE(value, 2 * i);
      else bytes.writeDoubleBE(value, 8 * i);
    return bytes;
  });
  const header = (start: number) => {
    const writer = new Writer();
    writer.parts.push(Buffer.from("CDF\x02", "latin1"));
    writer.u32(0, names.length === 0 ? 0 : 10, names.length);
    for (const name of names) {
      writer.text(name);
      writer.u32(dimensions[name]!);
    }
    writer.attributes({ title: "test" });
    writer.u32(list.length === 0 ? 0 : 11, list.length);
    let offset = start;
    for (const [i, [name, { dimensions: own, type = "float64", attributes = {} }]] of list.entries()) {
      writer.text(name);
      writer.u32(own.length, ...own.map((dimension) => names.indexOf(dimension)));
      writer.attributes(attributes);
      writer.u32(type === "int16" ? 3 : 6, data[i]!.length, 0, offset);
      offset += data[i]!.length;
    }
    return Buffer.concat(writer.parts);
  };
  return new Uint8Array(Buffer.concat([header(header(0).length), ...data]));
}
