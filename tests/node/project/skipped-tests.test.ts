// Tests that cannot run are skipped with a reason: none returns early, and none is skipped without one.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "../../..");

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [name: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string";
const isFunction = ({ type }: Node): boolean => /Function/.test(type);

function* childrenOf(node: Node): Generator<Node> {
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield child;
}

/** The name that a call begins with: `it` of `it.each(cases)("…", …)`. */
function firstName(node: Node | undefined): unknown {
  if (node?.type === "Identifier") return node["name"];
  const next = node && (node["callee"] ?? node["object"] ?? node["tag"]);
  return isNode(next) ? firstName(next) : undefined;
}

/** Positions of violations in tests: early returns, and skips without a reason. */
function faultsIn(code: string): string[] {
  const lineOf = ({ start }: Node) => code.slice(0, start).split("\n").length;
  const faults: string[] = [];
  const findReturns = (node: Node): void => {
    if (isFunction(node)) return;
    if (node.type === "IfStatement") {
      for (const branch of [node["consequent"], node["alternate"]]) {
        const body = isNode(branch) && branch.type === "BlockStatement" ? branch["body"] : [branch];
        const [first] = body as (Node | null)[];
        if (first?.type === "ReturnStatement") faults.push(`${lineOf(first)}: returns early`);
      }
    }
    for (const child of childrenOf(node)) findReturns(child);
  };
  const visit = (node: Node): void => {
    const isTest = ["it", "test", "describe"].includes(firstName(node) as string);
    if (node.type === "CallExpression" && isTest) {
      const body = (node["arguments"] as Node[]).findLast(isFunction)?.["body"];
      if (firstName(node) !== "describe" && isNode(body)) findReturns(body);
    }
    const method = node.type === "MemberExpression" && isTest && (node["property"] as Node)["name"];
    if (method === "skipIf" || method === "runIf" || method === "skip")
      faults.push(`${lineOf(node)}: ${method} has no reason`);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseAst(code, { lang: "ts" }) as unknown as Node);
  return faults;
}

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "tests"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => /\.(test|spec)\.ts$/.test(file));

describe("tests", () => {
  it("neither return early nor skip without a reason", () => {
    const found = files.flatMap((file) =>
      faultsIn(readFileSync(path.join(root, file), "utf8")).map((fault) => `${file}:${fault}`),
    );
    expect(files.length).toBeGreaterThan(150);
    expect(found).toEqual([]);
  });

  it("are found with faults", () => {
    expect(
      faultsIn(`
it("a", () => { if (!has) return; expect(1).toBe(1); });
it.each([1])("%i", async () => { for (;;) { if (!has) { return; } } });
it("b", () => { if (has) { expect(1).toBe(1); return; } const f = () => { if (x) return; }; });
it.skipIf(!has)("c", () => {});
describe.skip("d", () => { it("e", () => { if (x) y(); else return; }); });
helper(() => { if (x) return; });`),
    ).toEqual([
      "2: returns early",
      "3: returns early",
      "5: skipIf has no reason",
      "6: skip has no reason",
      "6: returns early",
    ]);
  });
});
