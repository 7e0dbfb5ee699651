/** `zarr-wasm verify`: decodes every chunk and lists the bad ones. */
import { type VerifyProblem, type VerifyResult, verify } from "zarr-wasm/transfer";
import type { Values } from "../options/options.js";
import { parseShare } from "../options/values.js";
import { asCommandError } from "../source/places.js";
import { withSource } from "../source/source.js";
import { counted, exactNumber, note, printSummary } from "../text/output.js";
import { ProgressLine, sizeText } from "../text/progress.js";

export async function runVerify(source: string, values: Values): Promise<number> {
  const part = values.part === undefined ? undefined : parseShare(values.part);
  const { clean = false, json = false } = values;
  const start = performance.now();
  const line = new ProgressLine("verifying");
  const result = await withSource(source, values, values.bucket, (place, options) =>
    verify(place, {
      ...options,
      ...{ part, clean },
      onProblem: (problem) => {
        if (json) return;
        line.clear();
        printProblem(problem);
      },
      onProgress: ({ bytes, totalBytes }) => line.show(bytes, totalBytes),
    }),
  )
    .catch((error) => {
      throw asCommandError(error);
    })
    .finally(() => line.clear());
  printResult(source, json, result, (performance.now() - start) / 1000);
  const { leftovers, problemCount: bad } = result;
  const remark = leftovers && leftoversText(leftovers, clean);
  if (remark) note(`${source}: ${remark}`);
  if (bad > 0) note(`${source}: ${bad} of ${result.chunks} chunks and documents are invalid`);
  return bad === 0 ? 0 : 1;
}

function printProblem({ key, chunk, tag, reason }: VerifyProblem): void {
  const location = chunk ? `${key} (chunk ${chunk.join(", ")})` : key;
  printSummary(false, {}, [`bad: ${location}: ${tag}: ${reason}`]);
}

function printResult(source: string, json: boolean, result: VerifyResult, measured: number): void {
  const { arrays, groups, chunks, missing, bytes, bytesRead, problemCount: bad } = result;
  const facts = {
    ...{ source, arrays, groups },
    chunks: exactNumber(chunks),
    missing: exactNumber(missing),
    bytes: exactNumber(bytes),
    bytesRead,
    seconds: Number(measured.toPrecision(6)),
    ...{ badCount: bad, bad: result.problems, unfinished: result.leftovers },
  };
  printSummary(json, facts, [
    `${counted(arrays, "array")}, ${counted(groups, "group")}: ${counted(chunks, "chunk")} (${missing} not stored), ${sizeText(Number(bytes))} in ${measured.toFixed(2)} s; ${bad === 0 ? "no problems" : `${bad} bad`}`,
  ]);
}

/** Describes unfinished files; undefined without any. */
function leftoversText(
  { count, bytes, removed }: NonNullable<VerifyResult["leftovers"]>,
  clean: boolean,
): string | undefined {
  if (count === 0) return undefined;
  const files = `${count} unfinished ${count === 1 ? "file" : "files"} (.zw-….tmp, ${sizeText(bytes)})`;
  const left = count - removed;
  if (!clean) return `${files} in progress, or left by killed processes; pass --clean to remove old ones`;
  if (left === 0) return `${files} removed`;
  return `${files}: ${removed} removed, ${left} kept because they changed in the last ten minutes`;
}
