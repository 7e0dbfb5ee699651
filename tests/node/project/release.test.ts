// The parts of a release apart from the package: versions that agree, the changelog, the reports of public
// types, the bill of materials, source maps, workflows.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { typedEntries } from "../../../scripts/lib/entries.mjs";

const root = path.join(import.meta.dirname, "../../..");
const text = (file: string) => readFileSync(path.join(root, file), "utf8");
const json = (file: string) => JSON.parse(text(file));
const { version } = json("package.json") as { version: string };
const sha256 = (file: string) =>
  createHash("sha256")
    .update(readFileSync(path.join(root, file)))
    .digest("hex");

describe("the version", () => {
  it("is semantic, and the same everywhere", () => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const lock = json("package-lock.json") as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    expect([lock.version, lock.packages[""]!.version]).toEqual([version, version]);
    for (const viewer of [json("web/viewer/package.json"), lock.packages["web/viewer"]])
      expect(viewer).toMatchObject({ version, peerDependencies: { "zarr-wasm": version } });
    expect(text("CITATION.cff")).toMatch(new RegExp(`^version: ${version}$`, "m"));
    expect(text("CMakeLists.txt")).toContain(`VERSION ${version}`);
    expect(text("examples/cluster/kubernetes/copy.yaml")).toContain(`zarr-wasm:${version}`);
  });

  it("has an entry in the changelog, the first one", () => {
    expect(/^## (.+)$/m.exec(text("CHANGELOG.md"))?.[1]).toBe(version);
  });
});

describe("reports of the public types", () => {
  const entries = typedEntries();
  const reports = readdirSync(path.join(root, "tests/api"));

  it("there is one of every entry, and no other", () => {
    expect(reports.sort()).toEqual(entries.map(({ report }) => `${report}.api.md`).sort());
  });

  // npm run api -- --check compares signatures; this needs nothing but Node.
  // Node cannot load modules that define an element.
  it.each(entries.filter(({ report }) => report !== "viewer-element"))(
    "$report has the names that it really exports",
    async ({ report: name, folder, targets }) => {
      const report = text(`tests/api/${name}.api.md`);
      const module = await import(path.join(folder, targets["default"]!));
      const names = Object.keys(module).filter((name) => name !== "default");
      const isReported = (name: string) =>
        new RegExp(
          `^(export (declare )?(abstract )?(class|function|const|let|enum) ${name}\\b|export \\{ ?(\\w+ as )?${name} ?\\})`,
          "m",
        ).test(report);
      expect(
        names.filter((name) => !isReported(name)),
        "if this is meant: npm run api",
      ).toEqual([]);
      const values = [
        ...report.matchAll(/^export (?:declare )?(?:abstract )?(?:class|function|const|let|enum) (\w+)/gm),
      ];
      const types = readFileSync(path.join(folder, targets["types"]!), "utf8");
      const isType = (name: string) => new RegExp(`export type \\{[^}]*\\b${name}\\b`).test(types); // a class, exported as a type
      const gone = values.map(([, name]) => name!).filter((name) => !names.includes(name) && !isType(name));
      expect(gone, "if this is meant: npm run api").toEqual([]);
    },
  );
});

describe("the bill of materials", () => {
  interface Component {
    "bom-ref": string;
    name: string;
    version?: string;
    licenses?: { expression: string }[];
    hashes?: { alg: string; content: string }[];
  }
  const bill = json("dist/sbom.cdx.json") as {
    bomFormat: string;
    specVersion: string;
    serialNumber: string;
    metadata: { component: { name: string; version: string; purl: string } };
    components: Component[];
    dependencies: { ref: string; dependsOn: string[] }[];
  };
  const find = (ref: string) => bill.components.find((component) => component["bom-ref"] === ref)!;

  it("is CycloneDX, of this version", () => {
    expect([bill.bomFormat, bill.specVersion]).toEqual(["CycloneDX", "1.6"]);
    expect(bill.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(bill.metadata.component).toMatchObject({
      name: "zarr-wasm",
      version,
      purl: `pkg:npm/zarr-wasm@${version}`,
    });
  });

  it("lists every C library that the modules were made of, with its hash and its licence", () => {
    const { libraries } = json("dist/wasm/sources.json") as {
      libraries: Record<string, { sha256?: string }>;
    };
    for (const [name, record] of Object.entries(libraries)) {
      const component = find(`library:${name}`);
      if (record.sha256) expect(component.hashes).toEqual([{ alg: "SHA-256", content: record.sha256 }]);
      expect(component.licenses![0]!.expression).not.toBe("");
      if (record.sha256) expect(component.version).toMatch(/^\d+\.\d+/);
    }
  });

  it("has the hashes of the present modules, and refers to entries that it lists", () => {
    for (const name of ["decode.wasm", "full.wasm", "images.wasm"])
      expect(find(`file:${name}`).hashes).toEqual([{ alg: "SHA-256", content: sha256(`dist/wasm/${name}`) }]);
    const refs = new Set([
      bill.metadata.component.purl,
      ...bill.components.map((component) => component["bom-ref"]),
    ]);
    expect(refs.size).toBe(bill.components.length + 1);
    for (const { ref, dependsOn } of bill.dependencies)
      expect([ref, ...dependsOn].filter((name) => !refs.has(name))).toEqual([]);
  });

  it("lists the packages that the library depends on: none", () => {
    expect(json("package.json")).not.toHaveProperty("dependencies");
  });
});

describe("scripts of the package", () => {
  const dist = path.join(root, "dist");
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" });

  it("name no source maps, and there are none: bundlers would look for them", () => {
    const scripts = files.filter((file) => file.endsWith(".js"));
    expect(scripts.filter((file) => text(path.join("dist", file)).includes("sourceMappingURL="))).toEqual([]);
    expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
  });

  it("an uncaught error is readable in Node", () => {
    const program = 'import("zarr-wasm").then(({ open }) => open(new Map()))';
    const { status, stderr } = spawnSync(process.execPath, ["-e", program], { cwd: root, encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^ZarrError: no Zarr array/m);
    expect(stderr).toMatch(/^ +at Opener\.open /m);
    expect(stderr.length).toBeLessThan(2500); // Node shows the line that threw, which may be the whole file
  });
});

describe("workflows", () => {
  const ci = text(".github/workflows/ci.yml");
  const release = text(".github/workflows/release.yml");

  it("run scripts that exist", () => {
    const { scripts } = json("package.json") as { scripts: Record<string, string> };
    const named = [...`${ci}${release}`.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("pack with the address of the repository, without which npm refuses a statement of provenance", () => {
    const { repository } = json("package.json") as { repository?: unknown };
    expect(
      repository ?? /repository\.url=\S+GITHUB_REPOSITORY[\s\S]*scripts\/pack\.mjs/.exec(ci),
    ).toBeTruthy();
  });

  it("build once, and publish the tested package without a token", () => {
    expect(`${ci}${release}`.match(/npm run build/g)).toHaveLength(1);
    expect(release).toMatch(/uses: \.\/\.github\/workflows\/ci\.yml/);
    for (const archive of ["zarr-wasm-[0-9]*.tgz", "zarr-wasm-viewer-*.tgz"])
      expect(release).toContain(`npm publish ${archive} --access public --provenance`);
    expect(release).toContain("id-token: write");
    expect(release).not.toMatch(/NODE_AUTH_TOKEN|NPM_TOKEN|^\s+registry-url:/m);
  });

  const folder = path.join(root, ".github/workflows");
  const workflows = readdirSync(folder).map((file) => [file, text(`.github/workflows/${file}`)] as const);

  it("run the Node suite without sampling every night", () => {
    const nightly = text(".github/workflows/nightly.yml");
    expect(nightly).toMatch(/^ {4}- cron: /m);
    expect(nightly).toContain("run: npm test -- whole");
  });

  it.each(workflows)("%s pins actions by commit, and packages by exact version", (_, workflow) => {
    expect(unpinnedIn(workflow)).toEqual([]);
  });

  it("pin an action to the same commit everywhere", () => {
    const commits = new Map<string, Set<string>>();
    for (const [, workflow] of workflows)
      for (const [, action, commit] of workflow.matchAll(/uses: ([\w./-]+)@(.+)/g))
        commits.set(action!, (commits.get(action!) ?? new Set()).add(commit!));
    expect(commits.size).toBeGreaterThan(3);
    expect([...commits].filter(([, found]) => found.size !== 1)).toEqual([]);
  });

  it("are found if something is not pinned", () => {
    const sha = "a".repeat(40);
    const lines = [
      "uses: actions/checkout@v5",
      "- uses: actions/checkout@main # v5.1.0",
      `- uses: actions/checkout@${sha}`,
      `uses: actions/checkout@${sha.slice(1)} # v5.1.0`,
      "uses: actions/checkout",
      '"uses": "actions/checkout@v5"',
      "uses: docker://debian:12",
      "run: npm install --global npm@11",
      "run: npm i -g npm@latest",
      "run: npm install left-pad",
      "run: npx some-tool",
    ];
    expect(lines.filter((line) => unpinnedIn(line).length === 0)).toEqual([]);
    const good = [
      "uses: ./.github/workflows/ci.yml",
      `- uses: actions/checkout@${sha} # v5.1.0`,
      "run: npm install --global npm@11.21.2",
      "- run: npm ci --ignore-scripts",
      "- run: npx vitest run",
    ];
    expect(good.flatMap(unpinnedIn)).toEqual([]);
  });

  it("have no more permissions than they need", () => {
    const jobs = Object.fromEntries(
      release
        .slice(release.indexOf("\njobs:"))
        .split(/^ {2}(?=\w+:$)/m)
        .slice(1)
        .map((job) => [/^\w+/.exec(job)![0], /^ {4}permissions:\n((?: {6}.*\n)+)/m.exec(job)?.[1]] as const),
    );
    const scopesOf = (block: string | undefined) => block?.match(/[\w-]+: \w+/g);
    expect(Object.keys(jobs)).toEqual(["version", "ci", "publish", "page"]);
    expect(scopesOf(jobs["publish"])).toEqual(["id-token: write"]);
    expect(scopesOf(jobs["page"])).toEqual(["contents: write"]);
    expect([jobs["version"], jobs["ci"]]).toEqual([undefined, undefined]);
    for (const [file, workflow] of workflows) {
      expect(workflow, file).toMatch(/^permissions:\n {2}contents: read\n\n/m);
      const checkouts = workflow.match(/uses: actions\/checkout@/g)?.length ?? 0;
      expect(workflow.match(/^ {10}persist-credentials: false$/gm)?.length ?? 0, file).toBe(checkouts);
    }
  });
});

/** Lines of a workflow that use a name without a pinned version. */
function unpinnedIn(workflow: string): string[] {
  const isPinned = (line: string): boolean => {
    const uses = /^[\s-]*["']?uses["']?:\s*(.*)$/.exec(line)?.[1];
    if (uses !== undefined) return /^(\.\/\S+|[\w.-]+\/[\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+)$/.test(uses);
    const install = /\bnpm (?:install|i|add)\b(.*)/.exec(line)?.[1];
    const packages = install?.match(/(?<=\s)[^\s-]\S*/g) ?? [];
    const programs = [...line.matchAll(/\bnpx (?:-\S+ )*(\S+)/g)].map(([, name]) => name!);
    const { devDependencies } = json("package.json") as { devDependencies: object };
    return (
      packages.every((name) => /@\d+\.\d+\.\d+$/.test(name)) &&
      programs.every((name) => name in devDependencies || /@\d+\.\d+\.\d+$/.test(name))
    );
  };
  return workflow.split("\n").filter((line) => !isPinned(line));
}

it("has what contributors look for", () => {
  for (const file of [
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    ".github/pull_request_template.md",
    ".github/ISSUE_TEMPLATE/bug.yml",
  ])
    expect(existsSync(path.join(root, file)), file).toBe(true);
  expect(json(".changeset/config.json")).toMatchObject({ baseBranch: "main", access: "public" });
});
