import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isZarrError } from "zarr-wasm";
import { JsonNumber, toPlain } from "#src/util/json.js";
import { parseJson } from "#src/util/json-reader.js";
import { amount } from "../support/amounts.js";
import { bytesOf } from "../support/support.js";

const options = { name: "doc", maxDepth: 64, bareNonFinite: true };
const parse = (text: string, more = {}) => parseJson(bytesOf(text), { ...options, ...more });
const plain = (text: string) => toPlain(parse(text));

describe("JSON reader", () => {
  it("agrees with JSON.parse on any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: "medium" }), fc.boolean(), (value, pretty) => {
        const text = JSON.stringify(value, null, pretty ? 2 : 0);
        const expected = JSON.parse(text, (_key, v) =>
          typeof v === "number" && Number.isInteger(v) ? v : v,
        );
        expect(JSON.stringify(plain(text), bigints)).toBe(JSON.stringify(expected, bigints));
      }),
      { numRuns: amount(125, 500) },
    );
    function bigints(_key: string, value: unknown) {
      return typeof value === "bigint" ? Number(value) : value;
    }
  });

  it("accepts and refuses what JSON.parse accepts and refuses, on damaged documents", () => {
    const document = '{"a": [1, -2.5e3, true, null, "x\\u00e9\\n"], "b": {"c": ""}}';
    fc.assert(
      fc.property(
        fc.nat(document.length - 1),
        fc.constantFrom("", ",", '"', "}", "0", "\\", "\u0001", "e"),
        (at, char) => {
          const text = document.slice(0, at) + char + document.slice(at + 1);
          let expected = true;
          try {
            JSON.parse(text);
          } catch {
            expected = false;
          }
          let accepted = true;
          try {
            parse(text, { bareNonFinite: false });
          } catch (error) {
            expect(isZarrError(error, "InvalidMetadata")).toBe(true);
            accepted = false;
          }
          expect(accepted, text).toBe(expected);
        },
      ),
      { numRuns: amount(500, 2000) },
    );
  });

  it("keeps integers beyond 2^53 exact", () => {
    expect(plain("[9007199254740993, -9223372036854775808, 1.0]")).toEqual([
      9007199254740993n,
      -9223372036854775808n,
      1,
    ]);
  });

  it("reads NaN and infinities as bare tokens, where allowed, and not inside words", () => {
    expect(plain("[NaN, Infinity, -Infinity]")).toEqual([Number.NaN, Infinity, -Infinity]);
    expect(() => parse("[NaN]", { bareNonFinite: false })).toThrow(/not valid JSON/);
    expect(() => parse("[Nan]")).toThrow(/line 1, column 2/);
    expect(parse('"NaN"')).toBe("NaN");
  });

  it("keeps the text of numbers", () => {
    expect((parse("1.10e+2") as JsonNumber).text).toBe("1.10e+2");
    expect(new JsonNumber("-0").value).toBe(-0);
  });

  it("treats no key specially", () => {
    const value = plain('{"__proto__": {"x": 1}, "constructor": 2}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as { x?: number }).x).toBeUndefined();
  });

  it("warns about duplicate keys and takes the last", () => {
    const warnings: string[] = [];
    const value = parse('{"a": 1, "a": 2}', { onWarning: (w: { code: string }) => warnings.push(w.code) });
    expect(toPlain(value)).toEqual({ a: 2 });
    expect(warnings).toEqual(["duplicate-key"]);
  });

  it("bounds the nesting", () => {
    expect(() => parse("[".repeat(100_000))).toThrow(/nested deeper than 64/);
    expect(() => parse(`${'{"a":'.repeat(65)}1${"}".repeat(65)}`)).toThrow(/nested deeper/);
    expect(() => parse("[".repeat(64) + "]".repeat(64))).not.toThrow();
  });

  it.each([
    ["a byte order mark", [0xef, 0xbb, 0xbf, 0x7b, 0x7d]],
    ["invalid UTF-8", [0x22, 0xff, 0x22]],
    ["UTF-16", [0x7b, 0x00, 0x7d, 0x00]],
    ["nothing", []],
  ])("refuses %s", (_what, bytes) => {
    expect(() => parseJson(Uint8Array.from(bytes), options)).toThrow(/doc is not/);
  });
});
