/** Opens the source in the page's address while the scripts that draw it are loading. */
import { chooseLanguage } from "../language/text.js";
import { readAddress } from "../source/address.js";
import { openAhead } from "../source/nodes.js";

const query = new URLSearchParams(location.search);
void chooseLanguage([query.get("lang") ?? "", ...navigator.languages]);
const address = readAddress(query.get("source") ?? "");
if (!("refused" in address) && !address.isArchive) {
  const path = [address.path, query.get("path")].filter(Boolean).join("/") || undefined;
  void openAhead(address.source, path);
}
// They are requested after this one, which would have to share the connection with them.
for (const link of document.querySelectorAll<HTMLLinkElement>("link[data-rel]"))
  link.rel = link.dataset["rel"]!;
