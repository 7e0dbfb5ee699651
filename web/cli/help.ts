/** What `--help` says. */

const help = `Usage: zarr-wasm COMMAND SOURCE [options]

  info SOURCE [--path P] [--json] [--bucket URL]
      facts about an array (shape, chunks, data type, codecs, sizes), or the tree below a
      group; --bucket names the S3-compatible bucket that a URL is in, to list it

  read SOURCE [--path P] [--select "0:10,5,::2"] [--format raw|jsonl|npy|text]
              [--out FILE] [--v1-order writer]
      elements of an array, in C order
        raw    little-endian element bytes
        jsonl  one JSON value per element and line
        npy    a NumPy file
        text   a table (default); control characters are escaped, as \\u001b
      FILE is replaced once all is written to a temporary file beside it

  copy SOURCE DEST [--path P] [--select "0:10,5,::2"] [--format 1|2|3]
              [--chunks 64,64] [--shards 512,512|auto|none]
              [--codecs NAME[:LEVEL]|none|JSON] [--fill V]
              [--overwrite | --resume] [--part I/N] [--metadata-only] [--verify]
              [--memory MIB] [--temp DIR] [--threads N] [--bucket URL]
              [--wait SECONDS] [--v1-order writer] [--json]
      an array, or a group with all below it; what is not named stays as it is
        DEST is a folder, a .zip or .ozx archive, or an http(s) URL that takes PUT
        --overwrite      deletes what is at DEST first
        --resume         goes on with a copy that was ended: what is there is left
        --part I/N       this process' share (I from 0), by chunks or shards; the nodes
                         are made by --part 0/N, for which others --wait (30 s), or
                         before by --metadata-only
        --verify         reads what was written, decodes it and compares
        --memory MIB     for elements on their way (128); rows to columns go through a
                         temporary folder beside DEST, or in --temp, of the array's size
        --bucket URL     of an S3-compatible store, in which DEST is

  pyramid SOURCE DEST [--path P] [--levels N] [--method mean|mode|nearest|max]
              [--factor 2|1,2,2] [--axes c,y,x] [--units ,micrometer,micrometer]
              [--scale 1,0.5,0.5] [--name TEXT] [--format 2|3]
              [--chunks 64,64] [--shards 512,512|auto|none]
              [--codecs NAME[:LEVEL]|none|JSON] [--overwrite | --resume]
              [--metadata-only | --level L[+] [--part I/N]] [--threads N] [--bucket URL]
              [--v1-order writer] [--json]
      an OME-Zarr image (0.5, or 0.4 for --format 2): the array, and smaller versions of it
        SOURCE is an array, or an image, whose finest level is taken; an array that lies in
        DEST stays where it is, others are copied
        --method         mean (default), mode for labels, max, nearest
        --factor         of all axes of space (2), or one per axis
        --metadata-only  makes the image and its arrays, to be filled by --level
        --level L        fills level L (0 is the finest) from the whole one before it;
                         L+ that and all after it
        --part I/N       this process' share of the level (I from 0)

  verify SOURCE [--path P] [--part I/N] [--clean] [--json] [--bucket URL]
              [--v1-order writer]
      decodes every chunk; each bad one with its reason, and exit status 1 if there are any
        --clean          removes unfinished files (.zw-….tmp) that killed processes have left
                         in a folder

  view SOURCE [--path P] [--port N] [--open] [--v1-order writer]
      the viewer's page on this machine; prints the link, and --open opens it in the
      browser

SOURCE is an http or https URL, a folder, a .zip or .ozx archive, or a .json of references (kerchunk).
`;

/** Of a command that is named what concerns it, else all. */
export function helpFor(command: string | undefined): string {
  const parts = help.split("\n\n");
  const own = parts.find((part) => part.startsWith(`  ${command} `));
  return own === undefined ? help : `Usage: zarr-wasm ${own.trimStart()}\n\n${parts.at(-1)}`;
}
