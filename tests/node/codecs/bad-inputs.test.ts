// Every input of tests/fuzz/bad.json has the stated outcome. The native fuzzer runs its share of them, too (npm test -- fuzz).
import { describe, expect, it } from "vitest";
import { badInputs, outcomeOfBad } from "../../fuzz/js/bad.js";

describe("tests/fuzz/bad.json", () => {
  const inputs = badInputs();

  it("names every input differently", () => {
    expect(new Set(inputs.map(({ target, name }) => `${target}/${name}`)).size).toBe(inputs.length);
  });

  it.each(inputs)("$target/$name: $about", async (input) => {
    expect(await outcomeOfBad(input)).toBe(input.outcome);
  });
});
