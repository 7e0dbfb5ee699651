// Plugin of TypeDoc: names modules as programs import them, "zarr-wasm/zarrita" instead of "zarrita".
import { Converter, ReflectionKind } from "typedoc";

const subpaths = {
  index: "",
  "viewer/viewer": "/viewer",
  "viewer/define": "/viewer/element",
  "workers/worker": "/worker",
};

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module))
      module.name = `zarr-wasm${subpaths[module.name] ?? `/${module.name}`}`;
  });
}
