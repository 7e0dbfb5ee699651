/** Addresses of web pages about files: repositories, cloud consoles and publication archives. */
import type { NoAddress, Rewritten, Rule } from "./address-rules.js";
import { encodedPath } from "./cloud-addresses.js";

export const pageRules: readonly Rule[] = [withUrl(repositories), withUrl(consoles), withUrl(archives), doi];

type UrlRule = (url: URL, host: string) => Rewritten | NoAddress | undefined;

/** A rule for http and https URLs. */
function withUrl(rule: UrlRule): Rule {
  return (text) => {
    if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
    const url = new URL(text);
    return rule(url, url.hostname.replace(/^www\./, ""));
  };
}

/**
 * Pages of files and folders in source code repositories; a branch name with a slash cannot be recognised.
 */
function repositories({ pathname, origin }: URL, host: string): Rewritten | NoAddress | undefined {
  const why = "the page shows a file or folder whose content is elsewhere";
  if (host === "github.com") {
    const [, repository, revision, path] =
      /^\/([^/]+\/[^/]+)\/(?:blob|tree|raw|blame)\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
    if (path !== undefined)
      return { text: `https://raw.githubusercontent.com/${repository}/${revision}/${path}`, why };
    const isAsset = /^\/[^/]+\/[^/]+\/releases\/download\//.test(pathname);
    const advice = isAsset
      ? "GitHub does not let other pages read the files of releases. Download it, and drop it here."
      : "This is the page of a repository: enter the address of a Zarr folder in it.";
    return { refused: advice };
  }
  const gitlab = /^(\/.+)\/-\/(?:blob|tree)\/(.+)$/.exec(pathname);
  if (gitlab) return { text: `${origin}${gitlab[1]}/-/raw/${gitlab[2]}`, why };
  const [, repository, revision] =
    (host === "huggingface.co" && /^(\/.+?)\/(?:blob|tree)\/(.+)$/.exec(pathname)) || [];
  return revision === undefined ? undefined : { text: `${origin}${repository}/resolve/${revision}`, why };
}

/** Cloud consoles that browse buckets. */
function consoles(url: URL, host: string): Rewritten | undefined {
  const { pathname, searchParams } = url;
  const why = "the page shows a bucket";
  const s3 =
    /(^|\.)console\.aws\.amazon\.com$/.test(host) && /^\/s3\/(?:buckets|object)\/([^/]+)/.exec(pathname);
  if (s3) {
    const region = searchParams.get("region");
    return {
      text: `s3://${s3[1]}/${searchParams.get("prefix") ?? ""}${region ? `?region=${region}` : ""}`,
      why,
    };
  }
  const google =
    host === "console.cloud.google.com" && /^\/storage\/browser\/(?:_details\/)?([^;]+)/.exec(pathname);
  if (google) return { text: `gs://${google[1]}`, why };
  if (host === "storage.cloud.google.com") return { text: `https://storage.googleapis.com${pathname}`, why };
  const quilt = /^open\.quiltdata\.com$/.test(host) && /^\/b\/([^/]+)\/tree\/(.*)$/.exec(pathname);
  return quilt ? { text: `s3://${quilt[1]}/${quilt[2]}`, why } : undefined;
}

const recordAdvice = (what: string) => ({
  refused: `This is the page of ${what}, not its data: enter the address of one of its files, a zipped Zarr.`,
});

/** Files and pages of Zenodo and figshare. */
function archives(url: URL, host: string): Rewritten | NoAddress | undefined {
  const { pathname } = url;
  if (/^(sandbox\.)?zenodo\.org$/.test(host)) {
    const [, record, file] = /^\/records?\/(\d+)\/(?:files|preview)\/([^/]+)$/.exec(pathname) ?? [];
    if (file !== undefined) {
      const name = encodedPath(file);
      const text = `https://${host}/api/records/${record}/files/${name}/content`;
      return { text, isArchive: true, why: "Zenodo lets pages read files by this address" };
    }
    return /^\/(records?|doi|deposit)\//.test(pathname) ? recordAdvice("a record") : undefined;
  }
  if (host === "figshare.com" || host.endsWith(".figshare.com")) {
    if (/^\/(ndownloader\/)?files\/\d+$/.test(pathname)) {
      const text = `https://ndownloader.figshare.com/files/${pathname.split("/").at(-1)}`;
      return { text, isArchive: true };
    }
    return /^\/(articles|collections|s)\//.test(pathname) ? recordAdvice("an item") : undefined;
  }
  return undefined;
}

/** DOIs resolve to pages. Those of Zenodo and figshare identify the page. */
function doi(text: string): Rewritten | NoAddress | undefined {
  const [, name] = /^(?:doi:\s*|https?:\/\/(?:dx\.)?doi\.org\/)?(10\.\d{4,9}\/\S+)$/i.exec(text) ?? [];
  if (name === undefined) return undefined;
  const record = /^10\.5281\/zenodo\.(\d+)$/i.exec(name)?.[1];
  if (record !== undefined) return recordAdvice(`Zenodo’s record ${record}`);
  return {
    refused:
      "A DOI leads to a page about the data: open it, and enter the address of the Zarr folder or archive that it names.",
  };
}
