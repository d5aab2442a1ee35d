// JupyterLab's own renderers on a bare page: what the server would draw, without a server.
import { MimeModel, RenderMimeRegistry, standardRendererFactories } from "@jupyterlab/rendermime";
import { rendererFactory } from "@jupyterlab/vega5-extension";

const registry = new RenderMimeRegistry({ initialFactories: standardRendererFactories });
registry.addFactory(rendererFactory, 57);

/** Renders a bundle as an output area does and reports which MIME type was chosen. */
globalThis.renderBundle = async (name, bundle, trusted) => {
  const model = new MimeModel({ data: bundle, trusted });
  const mime = registry.preferredMimeType(model.data, trusted ? "any" : "ensure");
  const renderer = registry.createRenderer(mime);
  const section = document.createElement("section");
  section.id = name;
  document.body.appendChild(section);
  await renderer.renderModel(model);
  renderer.node.classList.add("jp-OutputArea-output");
  section.appendChild(renderer.node);
  return mime;
};
