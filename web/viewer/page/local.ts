/** Local folders and archives, dropped on the page or chosen. */
import { button, h } from "../base/dom.js";
import { text } from "../language/text.js";
import {
  type Dropped,
  type Handle,
  type NotDropped,
  openStores,
  storeOfHandle,
  storesOfFiles,
  type Transfer,
} from "../source/drop.js";

/** Scheme of local stores in the page's address: they can be restored as long as the page is open. */
export const localScheme = "local:";

export class LocalStores {
  readonly #stores = new Map<string, Dropped>();

  /** @returns the store's name in the address. */
  add(dropped: Dropped): string {
    let key = `${localScheme}${dropped.name}`;
    for (let i = 2; this.#stores.has(key); i++) key = `${localScheme}${dropped.name} (${i})`;
    this.#stores.set(key, dropped);
    return key;
  }

  get(key: string): Dropped | undefined {
    return this.#stores.get(key);
  }

  /** The name of an open store. */
  keyOf(store: unknown): string | undefined {
    return [...this.#stores].find(([, dropped]) => dropped.store === store)?.[0];
  }
}

type Take = (found: readonly (Dropped | NotDropped)[]) => void;

/** Accepts drops anywhere on the page, and highlights it during a drag. */
export function takeDrops(take: Take): void {
  const veil = h("div", { class: "page-veil", hidden: true }, h("p", {}, text.page.drop));
  document.body.append(veil);
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  let depth = 0;
  const end = () => {
    depth = 0;
    veil.hidden = true;
  };
  document.addEventListener("dragenter", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth++;
    veil.hidden = false;
  });
  document.addEventListener("dragover", (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  document.addEventListener("dragleave", (event) => {
    if (hasFiles(event) && --depth <= 0) end();
  });
  document.addEventListener("drop", (event) => {
    end();
    // A panel may have taken the files.
    if (!hasFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    void openStores(event.dataTransfer as unknown as Transfer).then(take);
  });
}

type Picker = () => Promise<Handle>;

/** Buttons to choose a folder or files. */
export function chooseButtons(take: Take): HTMLElement {
  const files = (attributes: object) => {
    const input = h("input", { type: "file", hidden: true, ...attributes });
    input.addEventListener("change", () => {
      void storesOfFiles(input.files ?? []).then(take);
      input.value = "";
    });
    return input;
  };
  const folderInput = files({ webkitdirectory: true, "aria-label": text.page.folderInput });
  const fileInput = files({ multiple: true, "aria-label": text.page.fileInput });
  const chooseFolder = async () => {
    const picker = (globalThis as { showDirectoryPicker?: Picker }).showDirectoryPicker;
    if (!picker) return folderInput.click();
    try {
      take([await storeOfHandle(await picker())]);
    } catch (error) {
      // Cancelling the dialog is not an error; if the picker is forbidden, the file input may still work.
      if ((error as Error).name !== "AbortError") folderInput.click();
    }
  };
  return h(
    "div",
    { class: "page-choose" },
    button(text.page.folder, () => void chooseFolder(), {
      title: text.page.folderTitle,
    }),
    button(text.page.file, () => fileInput.click(), {
      title: text.page.fileTitle,
    }),
    folderInput,
    fileInput,
  );
}
