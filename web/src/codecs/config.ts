/** Reading a codec's configuration: every value is checked, and every refusal names the codec. */
import { invalidMetadata, type ZarrError } from "../base/errors.js";

/** A codec's configuration as plain values. */
export type Configuration = Readonly<Record<string, unknown>>;

export class ConfigReader {
  constructor(
    readonly codec: string,
    readonly values: Configuration,
  ) {}

  /** The value under a name, or undefined; only own properties count. */
  get(name: string): unknown {
    return Object.hasOwn(this.values, name) ? this.values[name] : undefined;
  }

  /** An integer between min and max; `fallback` when absent (an error without one). */
  integer(name: string, min: number, max: number, fallback?: number): number {
    const value = this.get(name) ?? fallback;
    if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
      throw this.error(`"${name}" must be an integer from ${min} to ${max}, not ${show(value)}`);
    }
    return value;
  }

  boolean(name: string, fallback: boolean): boolean {
    const value = this.get(name) ?? fallback;
    if (typeof value !== "boolean") throw this.error(`"${name}" must be true or false, not ${show(value)}`);
    return value;
  }

  /** The position of a string in a list of choices; `fallback` (a choice) when absent. */
  choice(name: string, choices: readonly string[], fallback?: string): number {
    const value = this.get(name) ?? fallback;
    const index = choices.indexOf(value as string);
    if (index < 0) throw this.error(`"${name}" must be one of ${choices.join(", ")}, not ${show(value)}`);
    return index;
  }

  /** Refuses names that the codec does not have. */
  only(...names: string[]): void {
    const unknown = Object.keys(this.values).find((name) => !names.includes(name));
    if (unknown !== undefined)
      throw this.error(`"${unknown}" is not one of its options (${names.join(", ") || "it has none"})`);
  }

  error(message: string, code = "bad-configuration"): ZarrError {
    return invalidMetadata(`codec ${this.codec}: ${message}`, { code, codec: this.codec });
  }
}

/** A value as messages show it. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "bigint") return String(value);
  const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part)) ?? "?";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
