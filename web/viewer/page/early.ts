/** Opens the source in the page's address while the scripts that draw it are loading. */
import { chooseLanguage } from "../language/text.js";
import { openAhead } from "../source/nodes.js";

const query = new URLSearchParams(location.search);
void chooseLanguage([query.get("lang") ?? "", ...navigator.languages]);
void openAhead(query.get("source") ?? "", query.get("path"));
// They are requested after this one, which would have to share the connection with them.
for (const link of document.querySelectorAll<HTMLLinkElement>("link[data-rel]"))
  link.rel = link.dataset["rel"]!;
