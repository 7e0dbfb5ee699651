// Plugin of TypeDoc: names modules as programs import them, "zarr-wasm/zarrita" instead of "zarrita", and adds the
// examples of docs/site/examples.md.
import { Comment, CommentTag, Converter, ReflectionKind } from "typedoc";
import { apiExamples } from "../../scripts/lib/api-examples.mjs";

const entries = {
  "dist/index": "zarr-wasm",
  "dist/workers/worker": "zarr-wasm/worker",
  "build/viewer/viewer": "zarr-wasm-viewer",
  "build/viewer/define": "zarr-wasm-viewer/element",
};

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      module.name = entries[module.name] ?? module.name.replace(/^dist/, "zarr-wasm");
      for (const { entry, name, code } of apiExamples()) {
        if (entry === module.name) addExample(module, name, code);
      }
    }
  });
}

/** Adds an example to a class, or to the first signature of a function; names that the module re-exports have none. */
function addExample(module, name, code) {
  const reflection = module.getChildByName([name]);
  const documented = reflection?.signatures?.[0] ?? reflection;
  if (!documented?.kindOf(ReflectionKind.Class | ReflectionKind.CallSignature)) return;
  documented.comment ??= new Comment();
  documented.comment.blockTags.push(
    new CommentTag("@example", [{ kind: "code", text: `\`\`\`js\n${code}\`\`\`` }]),
  );
}
