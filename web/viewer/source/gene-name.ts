/** The names of genes that give colours: "gene:CD3E,MS4A1?layer=counts&transform=log1p". */
import { decodedName } from "./address-rules.js";

export interface GeneChoice {
  /** One gene, or two. */
  readonly genes: readonly string[];
  /** A layer of AnnData, "raw" for the matrix of `raw`, or "" for `X`. */
  readonly layer: string;
  /** Whether colours follow log(1 + value). */
  readonly isLog: boolean;
}

const prefix = "gene:";

const encoded = (text: string): string => text.replace(/[%,?&=+#]/g, encodeURIComponent);

/** Undefined for the names of other columns. */
export function readGene(by: string): GeneChoice | undefined {
  if (!by.startsWith(prefix)) return undefined;
  const [names = "", ...rest] = by.slice(prefix.length).split("?");
  const genes = names.split(",").filter((name) => name !== "");
  if (genes.length < 1 || genes.length > 2) return undefined;
  const options = new Map(
    rest
      .join("?")
      .split("&")
      .map((part): [string, string] => {
        const [name = "", value = ""] = part.split("=");
        return [name, decodedName(value)];
      }),
  );
  return {
    genes: genes.map(decodedName),
    layer: options.get("layer") ?? "",
    isLog: options.get("transform") === "log1p",
  };
}

/** The inverse; "" without genes. */
export function geneText({ genes, layer, isLog }: GeneChoice): string {
  if (genes.length === 0) return "";
  const options = [
    ...(layer === "" ? [] : [`layer=${encoded(layer)}`]),
    ...(isLog ? ["transform=log1p"] : []),
  ];
  const end = options.length > 0 ? `?${options.join("&")}` : "";
  return `${prefix}${genes.map(encoded).join()}${end}`;
}

/** The name for legends and descriptions: "CD3E (counts), log1p". @param at number of the gene. Default: both */
export function geneTitle(by: string, at?: number): string {
  const choice = readGene(by);
  if (!choice) return by;
  const { genes, layer, isLog } = choice;
  const names = at === undefined ? genes.join(" and ") : genes[at]!;
  return `${names}${layer === "" ? "" : ` (${layer})`}${isLog ? ", log1p" : ""}`;
}
