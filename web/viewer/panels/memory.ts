/**
 * The memory limit of data that have been read, and whether they are kept for later visits. Shared by all viewers of a
 * page.
 */

import { h, labelled, select } from "../base/dom.js";
import { formatByteCount } from "../base/format.js";
import { text } from "../language/text.js";
import { keepData, keptData, workOffline } from "../source/kept-data.js";
import type { Control, Panel } from "./panel.js";

const choices = [64, 128, 256, 512, 1024, 2048].map((mebibytes) => mebibytes * 2 ** 20);

/** Hidden for content that is not cached: tables and single values. */
export const memoryPanel: Panel = {
  name: "memory",
  tab: "share",
  isFolded: true,
  role: "region",
  title: () => text.memory.title,
  isShown: ({ memory }) => memory !== undefined,
  build: ({ setBudget }) => [limitPart(setBudget), ...keptDataParts()],
};

function limitPart(setBudget: (bytes: number) => void): Control {
  const list = select(
    choices.map((bytes) => [String(bytes), formatByteCount(bytes)] as const),
    (bytes) => setBudget(Number(bytes)),
  );
  const used = h("span", { class: "zw-unit" });
  const element = labelled(text.memory.limit, list);
  element.append(used);
  return {
    element,
    sync(_state, { memory }) {
      const budget = memory!.budget;
      // The default for this machine need not be one of the choices.
      if (![...list.options].some(({ value }) => value === String(budget))) {
        const next = [...list.options].find(({ value }) => Number(value) > budget);
        list.insertBefore(h("option", { value: budget }, formatByteCount(budget)), next ?? null);
      }
      list.value = String(budget);
      used.textContent = text.memory.used(formatByteCount(memory!.used));
    },
  };
}

/** Returns the switches of kept data. Without kept data, there is nothing to show offline. */
function keptDataParts(): Control[] {
  const offline = h("input", { type: "checkbox", onchange: () => workOffline(offline.checked) });
  const show = () => {
    keep.checked = keptData.enabled;
    offline.checked = keptData.offline;
    offline.disabled = !keptData.enabled;
  };
  const onchange = () => {
    keepData(keep.checked);
    show();
  };
  const keep = h("input", { type: "checkbox", onchange });
  show();
  return [
    { element: h("label", { class: "zw-check" }, keep, text.memory.keep) },
    { element: h("label", { class: "zw-check" }, offline, text.memory.offline) },
  ];
}
