/** Data types as Zarr v3 names them. Spec: Zarr v3 core "data types" and zarr-extensions. */
import { invalidMetadata, unsupported } from "../errors.js";
import { type Json, JsonNumber } from "../metadata/json.js";
import { DType, type SimpleType, simpleTypes, type TimeUnit, timeUnits } from "./dtype.js";

const maxItemBytes = 2 ** 20;
const maxStructDepth = 16;

type Configuration = Readonly<Record<string, unknown>>;

/** Data types that take a configuration. */
const configured: Readonly<Record<string, (configuration: Configuration, depth: number) => DType>> = {
  raw_bytes: (c) => DType.raw(lengthOf(c, "raw_bytes", 1)),
  null_terminated_bytes: (c) => DType.fixedBytes(lengthOf(c, "null_terminated_bytes", 1)),
  fixed_length_utf32: (c) => DType.fixedUtf32(lengthOf(c, "fixed_length_utf32", 4) / 4),
  "numpy.datetime64": (c) => timeType("datetime64", c),
  "numpy.timedelta64": (c) => timeType("timedelta64", c),
  struct: structType,
  structured: structType,
};

/**
 * Parses a data type: a name, an object `{ name, configuration }`, or a DType that is passed on.
 * @throws InvalidMetadata for a configuration that does not fit, Unsupported for an unknown name.
 */
export function parseDataType(value: unknown, depth = 0): DType {
  if (value instanceof DType) return value;
  const { name, configuration } = readExtension(value);
  if ((simpleTypes as readonly string[]).includes(name)) return DType.simple(name as SimpleType);
  const bits = /^r(\d+)$/.exec(name);
  if (bits) return rawType(name, Number(bits[1]));
  if (Object.hasOwn(configured, name)) return configured[name]!(configuration, depth);
  const known = [...simpleTypes, "r*", ...Object.keys(configured)].join(", ");
  throw unsupported(`data type "${name}" is not known; known are ${known}`, { code: "unknown-dtype" });
}

function readExtension(value: unknown): { name: string; configuration: Configuration } {
  if (typeof value === "string") return { name: value, configuration: {} };
  const object = isRecord(value) ? value : {};
  const name = Object.hasOwn(object, "name") ? object["name"] : undefined;
  const configuration = (Object.hasOwn(object, "configuration") ? object["configuration"] : undefined) ?? {};
  if (typeof name !== "string" || !isRecord(configuration)) {
    throw invalidMetadata("a data type must be a name or an object with a name and a configuration", {
      code: "unknown-dtype",
    });
  }
  return { name, configuration };
}

function isRecord(value: unknown): value is Configuration {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function rawType(name: string, bits: number): DType {
  if (bits < 8 || bits % 8 !== 0 || bits / 8 > maxItemBytes) {
    throw invalidMetadata(
      `data type "${name}": the number of bits must be a multiple of 8, at most ${8 * maxItemBytes}`,
      {
        code: "unknown-dtype",
      },
    );
  }
  return DType.raw(bits / 8);
}

function lengthOf(configuration: Configuration, name: string, unit: number): number {
  const length = configuration["length_bytes"];
  if (
    typeof length !== "number" ||
    !Number.isInteger(length) ||
    length < unit ||
    length % unit !== 0 ||
    length > maxItemBytes
  ) {
    throw invalidMetadata(`data type ${name}: "length_bytes" must be a positive multiple of ${unit}`, {
      code: "unknown-dtype",
    });
  }
  return length;
}

function timeType(core: "datetime64" | "timedelta64", configuration: Configuration): DType {
  const unit = configuration["unit"] === "μs" ? "us" : configuration["unit"];
  const factor = configuration["scale_factor"] ?? 1;
  const valid =
    timeUnits.includes(unit as TimeUnit) && typeof factor === "number" && Number.isInteger(factor);
  if (!valid || factor < 1 || factor > 2 ** 31 - 1) {
    throw invalidMetadata(`data type numpy.${core} needs a "unit" of NumPy's and a positive "scale_factor"`, {
      code: "unknown-dtype",
    });
  }
  return DType.time(core, unit as TimeUnit, factor);
}

/** `fields` is a list of `{name, data_type}` objects; the legacy "structured" wrote `[name, data_type]` pairs. */
function structType(configuration: Configuration, depth: number): DType {
  const fields = configuration["fields"];
  if (!Array.isArray(fields) || fields.length === 0 || depth >= maxStructDepth) {
    throw invalidMetadata('data type struct needs "fields", a list of at least one field', {
      code: "unknown-dtype",
    });
  }
  const parsed = fields.map((entry: unknown) => {
    const [name, type] = Array.isArray(entry)
      ? entry
      : isRecord(entry)
        ? [entry["name"], entry["data_type"]]
        : [];
    if (typeof name !== "string" || name === "") {
      throw invalidMetadata("each field of data type struct needs a name", { code: "unknown-dtype" });
    }
    return { name, dtype: parseDataType(type, depth + 1) };
  });
  if (new Set(parsed.map((field) => field.name)).size !== parsed.length) {
    throw invalidMetadata("the field names of data type struct must be unique", { code: "unknown-dtype" });
  }
  const dtype = DType.struct(parsed);
  if (dtype.itemBytes > maxItemBytes)
    throw invalidMetadata(`elements of more than ${maxItemBytes} bytes`, { code: "unknown-dtype" });
  return dtype;
}

/** A plain value as the JSON reader would give it, so that fill values from programs take the same path. */
export function fromPlain(value: unknown): Json {
  if (typeof value === "number") return new JsonNumber(Object.is(value, -0) ? "-0" : String(value));
  if (typeof value === "bigint") return new JsonNumber(String(value));
  if (Array.isArray(value)) return value.map(fromPlain);
  if (value instanceof Uint8Array) return btoa(String.fromCharCode(...value));
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  throw invalidMetadata(`fill value ${String(value)} cannot be read`, { code: "bad-fill-value" });
}
