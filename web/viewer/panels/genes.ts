/** The genes that colour rows: fields with suggestions, the layer, and the transformation of values. */
import { isSuggestion, maxSuggested } from "../base/chooser.js";
import { h, labelled, uniqueId } from "../base/dom.js";
import { shortName } from "../base/text.js";
import { text } from "../language/text.js";
import { type GeneChoice, geneText, readGene } from "../source/gene-name.js";
import type { GeneNames, Genes } from "../source/genes.js";
import { type Changing, type Control, checkControl, groupControl, listControl } from "./panel.js";

/** How a state names its genes. */
interface GeneSetting<S> {
  readonly control: string;
  readonly genes: () => Genes | undefined;
  /** The column, whose name may be that of genes. */
  readonly by: (state: S) => string;
  readonly set: (by: string) => Partial<S>;
}

const noGene: GeneChoice = { genes: [], layer: "", isLog: false };

export function geneControl<S>(context: Changing<S>, setting: GeneSetting<S>): Required<Control<S>> {
  const { control, genes, by } = setting;
  const choiceOf = (state: S): GeneChoice => readGene(by(state)) ?? noGene;
  const change = (part: (now: GeneChoice) => Partial<GeneChoice>) =>
    context.change((now) => {
      const choice = choiceOf(now);
      return setting.set(geneText({ ...choice, ...part(choice) }));
    }, control);
  let layer = "";
  const names = () => genes()!.names(layer);
  const put = (at: number) => (name: string) =>
    change(({ genes: old }) => ({
      genes: [...old.slice(0, at), name, ...old.slice(at + 1)].filter(Boolean),
    }));
  const first = geneField(text.genes.first, names, put(0));
  const second = geneField(text.genes.second, names, put(1));
  let layerCount = 1;
  const layers = listControl<S, string>(context, text.genes.layer, [["", "X"]], {
    control: `${control}-layer`,
    value: (state) => choiceOf(state).layer,
    set: (chosen, now) => setting.set(geneText({ ...choiceOf(now), layer: chosen })),
    isShown: () => layerCount > 1,
  });
  let listed: Genes | undefined;
  const list = async (from: Genes) => {
    const found = await from.layers().catch(() => [""]); // X remains
    if (from !== listed) return;
    const all = found.includes(layer) ? found : [...found, layer];
    layers.list.replaceChildren(...all.map((value) => h("option", { value }, shortName(value || "X"))));
    layers.list.value = layer;
    layerCount = all.length;
    layers.element.hidden = layerCount < 2;
  };
  const log = checkControl<S>(context, text.genes.log, {
    control: `${control}-log`,
    value: (state) => choiceOf(state).isLog,
    set: (isLog, now) => setting.set(geneText({ ...choiceOf(now), isLog })),
  });
  const more = groupControl<S>([{ element: second.element }, layers, log]);
  const fold = h("details", { class: "zw-gene-more" }, h("summary", {}, text.genes.more), more.element);
  const element = h("div", { class: "zw-group" }, first.element, fold);
  return {
    element,
    sync(state, view) {
      const from = genes();
      element.hidden = from === undefined;
      if (!from) return;
      const choice = choiceOf(state);
      ({ layer } = choice);
      first.show(choice.genes[0] ?? "");
      second.show(choice.genes[1] ?? "");
      more.sync(state, view);
      fold.hidden = choice.genes.length === 0;
      fold.open ||= choice.genes.length > 1 || layer !== "" || choice.isLog;
      if (choice.genes.length > 0 && from !== listed) {
        listed = from;
        void list(from);
      }
    },
  };
}

/** A field for a gene. Names are read when it gets the focus; "" chooses none. */
function geneField(
  title: string,
  names: () => Promise<GeneNames>,
  onChoose: (name: string) => void,
): { readonly element: HTMLElement; show(name: string): void } {
  const list = h("datalist", { id: uniqueId("genes") });
  let shown = "";
  const suggest = async () => {
    try {
      const { offered } = await names();
      field.setCustomValidity("");
      const found = suggestions(offered, field.value, maxSuggested);
      list.replaceChildren(...found.map((value) => h("option", { value })));
    } catch {
      field.setCustomValidity(text.genes.unreadable);
    }
  };
  const choose = async () => {
    const typed = field.value.trim();
    if (typed === shown) return;
    const found =
      typed === ""
        ? ""
        : await names().then(
            (known) => known.nameOf(typed),
            () => typed,
          );
    field.setCustomValidity(found === undefined ? text.genes.unknown(typed) : "");
    if (found === undefined) field.reportValidity();
    else if (found !== shown) onChoose(found);
  };
  const field = h("input", {
    type: "text",
    list: list.id,
    autocomplete: "off",
    spellcheck: "false",
    placeholder: text.genes.placeholder,
    onfocus: () => void suggest(),
    oninput: (event: Event) => {
      void (isSuggestion(event) ? choose() : suggest());
    },
    onchange: () => void choose(),
  });
  return {
    element: labelled(title, field, "zw-field", h("div", { class: "zw-chooser" }, field, list)),
    show(name) {
      if (name === shown) return;
      shown = name;
      field.value = name;
    },
  };
}

/** Names that contain a string; those that begin with it come first. */
export function suggestions(names: readonly string[], typed: string, most: number): string[] {
  const wanted = typed.trim().toLowerCase();
  const [begin, contain]: [string[], string[]] = [[], []];
  for (const name of names) {
    const at = name.toLowerCase().indexOf(wanted);
    if (at === 0) begin.push(name);
    else if (at > 0 && contain.length < most) contain.push(name);
    if (begin.length >= most) break;
  }
  return [...begin, ...contain].slice(0, most);
}
