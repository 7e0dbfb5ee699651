/** Debian's python3-zarr, which reads arrays written here. Tests that need it are skipped if it is not installed. */
import { execFileSync } from "node:child_process";

/** Runs a script and returns its output. */
export function python(script: string, ...args: string[]): string {
  return execFileSync("/usr/bin/python3", ["-c", script, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs a script that reads JSON from its input, and returns the JSON that it prints. */
export function pythonJson(script: string, input: unknown): unknown {
  const options = { encoding: "utf8", input: JSON.stringify(input), maxBuffer: 1 << 28 } as const;
  return JSON.parse(execFileSync("/usr/bin/python3", ["-c", script], options));
}

/** The reason to skip tests with zarr-python 2; undefined if it is installed. */
export function missingZarr(): string | undefined {
  const found = attempted(() => python("import zarr; print(zarr.__version__)"));
  return found?.startsWith("2.") ? undefined : "zarr-python 2 is not installed for /usr/bin/python3";
}

/** The reason to skip tests that need a module of Python; undefined if it can be imported. */
export function missingModule(name: string): string | undefined {
  const found = attempted(() => python(`import ${name}; print("found")`));
  return found === undefined ? `the module ${name} is not installed for /usr/bin/python3` : undefined;
}

function attempted<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Whether an xarray that reads Zarr v2 is installed. */
export function hasXarray(): boolean {
  try {
    return missingZarr() === undefined && python("import xarray; print(1)").startsWith("1");
  } catch {
    return false;
  }
}

const reader = `
import base64, json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np, zarr
given = json.load(sys.stdin)
store = {key[1:]: base64.b64decode(value) for key, value in given["store"].items()}
def plain(value):
    if isinstance(value, bytes):
        return {"b64": base64.b64encode(value).decode()}
    if isinstance(value, np.ndarray):
        return {"b64": base64.b64encode(value.tobytes()).decode()}
    return value.item() if isinstance(value, np.generic) else value
def read(name):
    array = zarr.open_array(store, path=name, mode="r")
    data = array[...]
    if data.dtype == object:
        return {"values": [plain(v) for v in data.ravel()]}
    little = data.dtype.newbyteorder("<")
    return {"bytes": base64.b64encode(np.ascontiguousarray(data.astype(little)).tobytes()).decode()}
out = []
for name in given["names"]:
    try:
        out.append(read(name))
    except Exception as error:
        out.append({"error": type(error).__name__ + ": " + str(error)})
print(json.dumps(out))`;

/** An array as read by zarr-python: elements as base64 of their bytes (packed, little-endian, C order), or values. */
export interface PythonAnswer {
  bytes?: string;
  /** Bytes as `{ b64 }`. */
  values?: unknown[];
  error?: string;
}

/** Reads arrays of a store in Zarr v2, all in one process. */
export function pythonReads(
  store: ReadonlyMap<string, Uint8Array>,
  names: readonly string[],
): PythonAnswer[] {
  const encoded = [...store].map(([key, bytes]) => [key, Buffer.from(bytes).toString("base64")]);
  return pythonJson(reader, { store: Object.fromEntries(encoded), names }) as PythonAnswer[];
}
