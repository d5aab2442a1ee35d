import type { LiveHost, LiveView, LiveViewSpec } from "../../display/base/live-view.js";
import type { Content, Json } from "../protocol/message.js";
import type { Comm, Comms } from "./comms.js";

export interface Widgets extends LiveHost {
  interrupt(): void;
}

interface Widget {
  readonly comm: Comm;
  readonly spec: LiveViewSpec;
  state: Content;
}

/** The versions of the protocol of Jupyter widgets and of its control channel. */
const WIDGET_VERSION = "2.1.0";
const TARGET = "jupyter.widget";
const CONTROL_TARGET = "jupyter.widget.control";

/** The members by which a front end finds anywidget's model. Modules have `initialize` from 0.9 on. */
const MODEL: Content = {
  _model_module: "anywidget",
  _model_module_version: ">=0.9.0",
  _model_name: "AnyModel",
  _view_module: "anywidget",
  _view_module_version: ">=0.9.0",
  _view_name: "AnyView",
  _view_count: null,
  _anywidget_id: "arrowbook",
};

/** The most views that are live at a time: each keeps its data alive. The one used the longest ago is closed. */
const MOST_WIDGETS = 100;

/**
 * Live views as anywidget models. Front ends without widgets close the comm or ignore it; the static form of the output
 * stays.
 *
 * @see https://github.com/jupyter-widgets/ipywidgets/blob/main/packages/schema/messages.md
 */
export function createWidgets(comms: Comms): Widgets {
  const widgets = new Map<string, Widget>();

  comms.register(CONTROL_TARGET, (comm) => ({
    message: (data) => {
      if (methodOf(data) !== "request_states") return;
      const states = [...widgets].map(([id, { state }]) => [id, modelOf(state)]);
      comm.send({ method: "update_states", states: Object.fromEntries(states), buffer_paths: [] });
    },
  }));

  const touch = (id: string, widget: Widget): void => {
    widgets.delete(id);
    widgets.set(id, widget);
  };

  const receive = (id: string, data: Json): void => {
    const widget = widgets.get(id);
    if (widget === undefined) return;
    touch(id, widget);
    switch (methodOf(data)) {
      case "custom": {
        const content = (data as Content)["content"];
        if (isHello(content)) widget.comm.send({ method: "custom", content: { kind: "hello" } });
        else widget.spec.onMessage(content);
        break;
      }
      case "request_state":
        widget.comm.send({ method: "update", state: widget.state, buffer_paths: [] });
        break;
      default:
        // The page does not own the state.
        break;
    }
  };

  return {
    open(spec) {
      const id = crypto.randomUUID();
      const state = { ...MODEL, ...(spec.state as Content), _esm: spec.module };
      const comm = comms.open(
        TARGET,
        { state, buffer_paths: [] },
        { message: (data) => receive(id, data), close: () => void widgets.delete(id) },
        { id, metadata: { version: WIDGET_VERSION } },
      );
      const widget: Widget = { comm, spec, state };
      widgets.set(id, widget);
      const [oldest] = widgets;
      if (widgets.size > MOST_WIDGETS) {
        widgets.delete(oldest[0]);
        oldest[1].comm.close();
      }
      return viewOf(widget, () => widgets.delete(id));
    },
    interrupt() {
      for (const { spec } of widgets.values()) spec.onInterrupt?.();
    },
  };
}

function viewOf(widget: Widget, forget: () => void): LiveView {
  return {
    send: (message) => widget.comm.send({ method: "custom", content: message as Content }),
    keep(state) {
      widget.state = { ...widget.state, ...(state as Content) };
    },
    close() {
      forget();
      widget.comm.close();
    },
  };
}

function modelOf(state: Content): Content {
  return {
    model_name: state["_model_name"],
    model_module: state["_model_module"],
    model_module_version: state["_model_module_version"],
    state,
  };
}

/** Whether a page asks if the kernel is there. */
function isHello(content: Json | undefined): boolean {
  return typeof content === "object" && content !== null && (content as Content)["kind"] === "hello";
}

function methodOf(data: Json): Json | undefined {
  return typeof data === "object" && data !== null ? (data as Content)["method"] : undefined;
}
