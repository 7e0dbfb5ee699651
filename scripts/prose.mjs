// Counts phrases in comments, messages and Markdown that are not idiomatic technical English.
//   node scripts/prose.mjs [PATH…]               counts by rule and folder
//   node scripts/prose.mjs --limits              folders with too many phrases; fails if there are any
//   node scripts/prose.mjs --list [PATH…]        every phrase
//   node scripts/prose.mjs --changed [COMMIT]    phrases in lines added since a commit (default: the merge base with main,
//                                                or HEAD~1 on main); fails if there are any
// `npm run lint` runs the last two.
// A rule finds a habit and may be wrong about a sentence: reword it, or change the rule.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./lib/paths.mjs";
import { runMain } from "./lib/process.mjs";

const verbs =
  "is|are|was|were|has|have|had|may|might|must|can|cannot|could|would|will|do|did|comes?|came|becomes?|became|" +
  "follows?|stands?|lies?|goes|makes?|takes?|needs?|reads?|writes?|wrote|said|says|stores?|belongs?|costs?|remains?|stays?|fits";
const pronouns = "it|they|that|this|there|one|none|nothing|some|these|those|no \\w+";

/** Name of the habit, and its pattern. */
const rules = [
  [
    '"what …" as a noun',
    new RegExp(
      `(?<!^#.*)(?<![?].*)\\bwhat (?:${verbs}|it|they|he|others?|there|nobody|both|all|that|this|those|these|an?|its|their|our|of|no|else|any|each|every|chunks?|arrays?|metadata|attributes|servers?|readers?|writers?|browsers?|codecs?)\\b(?!.*\\?)`,
      "gi",
    ),
  ],
  [
    '"where" for "if"',
    new RegExp(
      `\\bwhere (?:${pronouns}) (?:is|are|was|were|has|have|had|does|do|did|must|may|might|can|cannot|could|will|would|comes?|came|needs?)\\b`,
      "gi",
    ),
  ],
  [
    '"Where" for "If"',
    new RegExp(`(?:^|[.;:(]\\s+|\\*\\s+|//\\s*)Where (?:${pronouns}|an?|the|both|all|its)\\b`, "g"),
  ],
  ["people for programs", /\b(?:whoever|nobody|somebody|everybody|no one|anybody|someone|everyone)\b/gi],
  [
    "vague word",
    /\b(?:trouble|whatever is|all that is|that which|of note|the rest of it|in the place of|on (?:its|their) way|for ever|in vain|as ever|meanwhile|had better|luckier|befalls?|besides|given back|left out|let pass|looked at)\b/gi,
  ],
  [
    '"is no …"',
    /(?<!\bthere )\b(?:is|are|was|were|be) no (?!longer|more|less|fewer|other|matter|need|such)\w+/gi,
  ],
  [
    '"to be had"',
    /\b(?:is|are|was|be|been) had\b|\bhad (?:from|beforehand)\b|\bc[oa]m(?:e|es|ing) to be\b/gi,
  ],
  [
    '"is there" for "exists"',
    /\b(?:is|are|was|were) (?:already )?there(?: already| at all| anyway)?(?=\s*[.,;:)"'`]|\s*$)|\bthat is there\b|\b(?:not|to be) there\b/gi,
  ],
  ["so many", /\bso (?:many|much|long|few)(?= (?:at|of|in|a)\b|[,.;:])/gi],
  [
    "knows not",
    /\b(?:says|knows|has|does|needs|reads|may|can) not (?:what|where|how|who|when|whether|a|the)\b/gi,
  ],
  [
    "goes on with",
    /\bgo(?:es)? on with\b|\bgone back to\b|\bon the word of\b|\bwithout a (?:word|pause)\b|\bbut for (?:the|a|its|those|what)\b/gi,
  ],
  [
    "data that is said, told or asked",
    /\b(?:is|are|was|were) (?:said|asked for|taken (?:for|from|as)|told)\b|\b(?:says?|said) (?:so|it|what|whether|how|which|why|where|something|nothing|of)\b|\bsaid to be\b/gi,
  ],
  [
    "superlative for maximum or minimum",
    /(?:^|\*\*\s*|\/\/\s*|[.;:(]\s)(?:The )?(?:Most|Fewest|Longest|Deepest|Least) [a-z]+/g,
  ],
  [
    '"behind" for "after"',
    /\bbehind (?:it|them|one another|each other|another|an?|its|that|this|those|which)\b/gi,
  ],
  [
    "those that, that of",
    /\b(?:and|or|than|as|from|to|with|by|is|are|like) (?:that|those) of\b|\b(?:those|ones|all|one) (?:who|that|of which) (?:is|are|was|were|has|have|can|may|must|needs?|comes?|do|does)\b/gi,
  ],
  ["as it is", /\bas (?:it|they) (?:is|are|was|were|comes?|stands?)(?=\s*[.,;:)]|\s*$)/gi],
  ["of its own", /\bof (?:its|their|one's) own\b|\bby themselves\b/gi],
  ['"a text" for "a string"', /\btexts\b|\b(?:a|one) text\b/gi],
];

const checked = /\.(ts|tsx|mjs|js|py|cpp|hpp|inc|c|h|md|cmake|vue|html)$/;
/** Third-party files, generated files, and data. */
const skipped =
  /^(third_party|tests\/(golden|fuzz\/corpus|bad)|docs\/performance|THIRD_PARTY|api\/|scripts\/prose\.mjs)|coastlines|package-lock/;

/** Maximum number of phrases per 10,000 words. */
const maxRate = { everywhere: 12, inFolder: 20 };

const git = (...args) =>
  execFileSync("git", ["-C", root, ...args], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "ignore"],
  });

/** Numbers of the lines added since a commit, by file. */
function addedLines(commit) {
  const added = new Map();
  let file = "";
  let line = 0;
  for (const text of git("diff", "-U0", commit).split("\n")) {
    if (text.startsWith("+++ b/")) {
      file = text.slice(6);
      added.set(file, new Set());
    } else if (text.startsWith("@@")) line = Number(/\+(\d+)/.exec(text)[1]);
    else if (text.startsWith("+") && !text.startsWith("+++")) added.get(file).add(line++);
  }
  return added;
}

/** The merge base with main; on main itself the parent commit. */
function defaultBase() {
  const head = git("rev-parse", "HEAD").trim();
  for (const branch of ["origin/main", "main"]) {
    try {
      const base = git("merge-base", "HEAD", branch).trim();
      if (base !== head) return base;
    } catch {} // there is no such branch
  }
  return "HEAD~1";
}

/** The prose in each line of a Markdown file: text outside code. */
function markdownProse(lines) {
  let inCode = false;
  return lines.map((line) => {
    if (/^\s*(```|~~~)/.test(line)) inCode = !inCode;
    return inCode || /^\s*(```|~~~)/.test(line) ? "" : line.replace(/`[^`]*`/g, "`");
  });
}

/** The prose in each line of a program: comments, and strings of three words or more. */
function programProse(lines, marker) {
  let inBlock = false;
  let inTemplate = false;
  return lines.map((line) => {
    if (inBlock || /^\s*(\/\*|\*\s)/.test(line)) {
      inBlock = !line.includes("*/") && (inBlock || line.includes("/*"));
      return line;
    }
    const ticks = (line.match(/`/g) ?? []).length % 2 === 1;
    if (inTemplate) {
      inTemplate = !ticks;
      return line;
    }
    const comment = marker.exec(line)?.[1] ?? "";
    const strings = [...line.matchAll(/(["'`])((?:(?!\1).)*\s(?:(?!\1).)*\s(?:(?!\1).)*)\1/g)];
    inTemplate = ticks && marker.source.includes("/");
    const open = inTemplate ? line.slice(line.lastIndexOf("`") + 1) : "";
    return [comment && `// ${comment}`, ...strings.map(([, , text]) => text), open]
      .filter(Boolean)
      .join(" . ");
  });
}

function proseOf(file) {
  const lines = readFileSync(path.join(root, file), "utf8").split("\n");
  if (/\.(md|html|vue)$/.test(file)) return markdownProse(lines);
  return programProse(lines, /\.(py|cmake)$/.test(file) ? /(?:^|\s)#\s(.*)$/ : /(?:^|\s)\/\/+\s?(.*)$/);
}

/** Finds phrases. @param added numbers of the lines to check, by file; undefined checks all. */
export function findPhrases(paths, added) {
  const found = [];
  const words = new Map();
  for (const file of git("ls-files").split("\n")) {
    if (!checked.test(file) || skipped.test(file) || (added && !added.has(file))) continue;
    if (paths.length > 0 && !paths.some((prefix) => file.startsWith(prefix.replace(/\/$/, "")))) continue;
    const folder = file.split("/").slice(0, 2).join("/");
    for (const [i, text] of proseOf(file).entries()) {
      if (!text || (added && !added.get(file).has(i + 1))) continue;
      words.set(folder, (words.get(folder) ?? 0) + (text.match(/\p{L}[\p{L}'’-]*/gu) ?? []).length);
      for (const [rule, pattern] of rules)
        for (const [phrase] of text.matchAll(pattern))
          found.push({ file, line: i + 1, folder, rule, phrase });
    }
  }
  return { found, words };
}

const showPhrase = ({ file, line, rule, phrase }) =>
  console.log(`  ${file}:${line}: ${rule}: ${phrase.trim()}`);

/** Checks the lines added since a commit. @returns whether there are no phrases. */
export function checkChanged(commit = defaultBase()) {
  const { found } = findPhrases([], addedLines(commit));
  found.forEach(showPhrase);
  return found.length === 0;
}

const perTenThousand = (count, words) => Math.round((10_000 * count) / Math.max(1, words));

const sum = (numbers) => [...numbers].reduce((total, number) => total + number, 0);

/** Checks the number of phrases in every folder and in the repository. @returns whether all are within the limits. */
export function checkLimits() {
  const { found, words } = findPhrases([], undefined);
  const rates = countBy(found, "folder").map(([folder, count]) => ({
    place: folder,
    rate: perTenThousand(count, words.get(folder)),
    limit: Math.max(maxRate.inFolder, perTenThousand(1, words.get(folder))), // one phrase in a short text
  }));
  const whole = perTenThousand(found.length, sum(words.values()));
  const above = [...rates, { place: "the repository", rate: whole, limit: maxRate.everywhere }].filter(
    ({ rate, limit }) => rate > limit,
  );
  for (const { place, rate, limit } of above)
    console.log(`  ${place}: ${rate} phrases per 10,000 words, at most ${limit} allowed`);
  return above.length === 0;
}

function countBy(found, key) {
  const counts = new Map();
  for (const one of found) counts.set(one[key], (counts.get(one[key]) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

function main() {
  const args = process.argv.slice(2);
  if (args[0] === "--changed") return checkChanged(args[1]) ? 0 : 1;
  if (args[0] === "--limits") return checkLimits() ? 0 : 1;
  const isList = args[0] === "--list";
  const { found, words } = findPhrases(isList ? args.slice(1) : args, undefined);
  if (isList) found.forEach(showPhrase);
  else {
    for (const [rule, count] of countBy(found, "rule")) console.log(`${String(count).padStart(6)} ${rule}`);
    for (const [folder, count] of countBy(found, "folder")) {
      const rate = String(perTenThousand(count, words.get(folder))).padStart(6);
      console.log(`${rate} per 10,000 words in ${folder}`);
    }
  }
  const total = sum(words.values());
  console.log(
    `${found.length} phrases in ${total} words (${perTenThousand(found.length, total)} per 10,000)`,
  );
  return 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) runMain(main);
