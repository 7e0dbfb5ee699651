// The site's index for language models has the pages of docs/README.md.
import { expect, it } from "vitest";
import { llmsIndex } from "../../../scripts/lib/site.mjs";
import { textOf } from "../support/doc-samples.js";

it("llms.txt lists every page of docs/README.md with an address", () => {
  const index = llmsIndex("/base/");
  const labels = [...textOf("docs/README.md").matchAll(/^- \[([^\]]+)\]/gm)].map(([, label]) => label!);
  const entries = [...index.matchAll(/^- \[([^\]]+)\]\((\S+)\)/gm)];
  expect(entries.map(([, label]) => label)).toEqual(labels);
  for (const [, , address] of entries) expect(address).toMatch(/^\/base\/[\w./#-]+$/);
  expect(index).toMatch(/^# zarr-wasm\n\n> Read and write Zarr/);
});
