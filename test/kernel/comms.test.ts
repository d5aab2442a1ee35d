import { describe, expect, it, vi } from "vitest";
import { type CommHandlers, type Comms, createComms } from "../../src/kernel/comms/comms.js";
import { createWidgets, type Widgets } from "../../src/kernel/comms/widgets.js";
import type { Content } from "../../src/kernel/protocol/message.js";

/* The comm messages of the protocol, scripted: in every order, malformed, for unknown targets, many. */
interface Sent {
  readonly type: string;
  readonly content: Content;
  readonly metadata?: Content;
}

function kernel() {
  const sent: Sent[] = [];
  const errors: string[] = [];
  const comms = createComms({
    inCell: () => (code) => code(),
    publish: (type, content, metadata) => sent.push({ type, content, ...(metadata && { metadata }) }),
    report: (error, where) => errors.push(`${where}: ${String(error)}`),
  });
  return { comms, sent, errors, types: () => sent.map(({ type }) => type) };
}

const opened = (comms: Comms, handlers: CommHandlers = {}) => comms.open("mine", { a: 1 }, handlers, { id: "c1" });

describe("comms from the kernel's side", () => {
  it("open, send, receive and close", () => {
    const { comms, sent } = kernel();
    const seen: unknown[] = [];
    const comm = opened(comms, { message: (data) => seen.push(data) });
    comm.send({ hello: true });
    comms.receive("comm_msg", { comm_id: "c1", data: { n: 1 } });
    expect(comms.info()).toEqual({ status: "ok", comms: { c1: { target_name: "mine" } } });
    expect(comms.info("mine")).toEqual(comms.info());
    expect(comms.info("other")).toEqual({ status: "ok", comms: {} });
    comm.close({ why: "done" });
    comm.send({ late: true });
    comm.close();
    comms.receive("comm_msg", { comm_id: "c1", data: { n: 2 } });
    expect(seen).toEqual([{ n: 1 }]);
    expect(sent).toEqual([
      { type: "comm_open", content: { comm_id: "c1", target_name: "mine", data: { a: 1 } } },
      { type: "comm_msg", content: { comm_id: "c1", data: { hello: true } } },
      { type: "comm_close", content: { comm_id: "c1", data: { why: "done" } } },
    ]);
    expect(comms.info()).toEqual({ status: "ok", comms: {} });
  });

  it("closed by the front end are silent from then on, also in the middle of a call", async () => {
    const { comms, types } = kernel();
    const close = vi.fn();
    let go!: () => void;
    const comm = opened(comms, {
      close,
      async message() {
        await new Promise<void>((done) => {
          go = done;
        });
        comm.send({ late: true });
      },
    });
    comms.receive("comm_msg", { comm_id: "c1", data: {} });
    comms.receive("comm_close", { comm_id: "c1", data: { why: "gone" } });
    comms.receive("comm_close", { comm_id: "c1" });
    go();
    await new Promise(setImmediate);
    expect(types()).toEqual(["comm_open"]);
    expect(close.mock.calls).toEqual([[{ why: "gone" }]]);
  });
});

describe("comms from the front end's side", () => {
  const openTo = (target: unknown, id: unknown = "f1"): Content =>
    ({ comm_id: id, target_name: target, data: { from: "page" } }) as Content;

  it("reach the target that is registered, and are closed at once where there is none", () => {
    const { comms, sent } = kernel();
    const seen: unknown[] = [];
    comms.register("mine", (comm, data) => {
      seen.push(data);
      comm.send({ welcome: true });
      return { message: (more) => seen.push(more) };
    });
    comms.receive("comm_open", openTo("mine"));
    comms.receive("comm_msg", { comm_id: "f1", data: "text" });
    comms.receive("comm_open", openTo("unknown", "f2"));
    comms.receive("comm_msg", { comm_id: "f2", data: {} });
    expect(seen).toEqual([{ from: "page" }, "text"]);
    expect(sent).toEqual([
      { type: "comm_msg", content: { comm_id: "f1", data: { welcome: true } } },
      { type: "comm_close", content: { comm_id: "f2", data: {} } },
    ]);
  });

  it("opened twice stay as they are", () => {
    const { comms, sent } = kernel();
    const accept = vi.fn(() => ({}));
    comms.register("mine", accept);
    comms.receive("comm_open", openTo("mine"));
    comms.receive("comm_open", openTo("mine"));
    expect(accept).toHaveBeenCalledTimes(1);
    expect(sent).toEqual([]);
  });

  it("report errors of handlers, and continue", async () => {
    const { comms, errors, types } = kernel();
    comms.register("bad", () => {
      throw new Error("refused");
    });
    comms.register("mine", () => ({
      message(data) {
        if (data === "sync") throw new TypeError("now");
        return data === "async" ? Promise.reject(new TypeError("later")) : undefined;
      },
      close() {
        throw new Error("closing");
      },
    }));
    comms.receive("comm_open", openTo("bad"));
    comms.receive("comm_open", openTo("mine", "f2"));
    for (const data of ["sync", "async", "fine"]) comms.receive("comm_msg", { comm_id: "f2", data });
    comms.receive("comm_close", { comm_id: "f2" });
    await new Promise(setImmediate);
    expect(types()).toEqual(["comm_close"]);
    const what = 'A message of the comm target "mine" failed';
    expect(errors).toEqual([
      'A message of the comm target "bad" failed: Error: refused',
      `${what}: TypeError: now`,
      `${what}: Error: closing`,
      `${what}: TypeError: later`,
    ]);
  });

  it.each<[string, Content]>([
    ["comm_open", {}],
    ["comm_open", { comm_id: 5, target_name: "mine" }],
    ["comm_open", { comm_id: null }],
    ["comm_msg", {}],
    ["comm_msg", { comm_id: "nobody" }],
    ["comm_msg", { comm_id: ["f1"], data: {} }],
    ["comm_close", { comm_id: {} }],
    ["comm_close", { comm_id: "__proto__" }],
  ])("ignore a malformed %s %j", (type, content) => {
    const { comms, sent, errors } = kernel();
    comms.register("mine", () => ({}));
    comms.receive(type, content);
    expect([sent, errors, comms.info()]).toEqual([[], [], { status: "ok", comms: {} }]);
  });

  it("do not accumulate: 10,000 opened, used and closed", () => {
    const { comms, errors } = kernel();
    let messages = 0;
    comms.register("mine", () => ({ message: () => messages++ }));
    for (let i = 0; i < 10_000; i++) {
      comms.receive("comm_open", openTo("mine", `f${i}`));
      comms.receive("comm_msg", { comm_id: `f${i}`, data: { i } });
      comms.receive("comm_close", { comm_id: `f${i}` });
    }
    expect([messages, errors, comms.info()]).toEqual([10_000, [], { status: "ok", comms: {} }]);
  });
});

describe("live views", () => {
  const view = (widgets: Widgets, onMessage: (message: unknown) => void = () => undefined) =>
    widgets.open({ module: "export default {}", state: { target: "t" }, onMessage });

  it("open an anywidget model and exchange custom messages", () => {
    const { comms, sent } = kernel();
    const seen: unknown[] = [];
    const opened = view(createWidgets(comms), (message) => seen.push(message));
    const { comm_id: id, data } = sent[0].content;
    expect(sent[0]).toMatchObject({ content: { target_name: "jupyter.widget" }, metadata: { version: "2.1.0" } });
    expect(data).toMatchObject({
      state: { _model_module: "anywidget", _model_name: "AnyModel", _esm: "export default {}", target: "t" },
      buffer_paths: [],
    });
    comms.receive("comm_msg", { comm_id: id, data: { method: "custom", content: { n: 1 } } });
    for (const data of [null, 5, "custom", [], {}, { method: 7 }, { method: "update", state: { target: "x" } }]) {
      comms.receive("comm_msg", { comm_id: id, data });
    }
    expect(seen).toEqual([{ n: 1 }]);
    opened.send({ m: 2 });
    expect(sent[1].content).toEqual({ comm_id: id, data: { method: "custom", content: { m: 2 } } });
    opened.close();
    opened.send({ m: 3 });
    expect(sent.slice(2).map(({ type }) => type)).toEqual(["comm_close"]);
  });

  it("give their state to a page that was loaded again, through either way of the protocol", () => {
    const { comms, sent } = kernel();
    const opened = view(createWidgets(comms));
    const id = String(sent[0].content["comm_id"]);
    opened.keep({ values: { span: 20 } });
    comms.receive("comm_msg", { comm_id: id, data: { method: "request_state" } });
    const state = { target: "t", values: { span: 20 } };
    expect(sent[1].content["data"]).toMatchObject({ method: "update", state });
    comms.receive("comm_open", { comm_id: "k", target_name: "jupyter.widget.control", data: {} });
    comms.receive("comm_msg", { comm_id: "k", data: { method: "request_states" } });
    comms.receive("comm_msg", { comm_id: "k", data: { method: "unknown" } });
    expect(sent).toHaveLength(3);
    expect(sent[2].content["data"]).toMatchObject({
      method: "update_states",
      states: { [id]: { model_name: "AnyModel", model_module: "anywidget", state } },
    });
  });

  it("are at most 100 at a time: the one used the longest ago is closed", () => {
    const { comms, sent } = kernel();
    const widgets = createWidgets(comms);
    view(widgets);
    const first = sent[0].content["comm_id"] as string;
    for (let i = 0; i < 99; i++) view(widgets);
    comms.receive("comm_msg", { comm_id: first, data: { method: "custom", content: {} } });
    for (let i = 0; i < 10_000; i++) view(widgets);
    const closed = sent.filter(({ type }) => type === "comm_close").map(({ content }) => content["comm_id"]);
    expect([closed.length, closed.indexOf(first)]).toEqual([10_000, 99]);
    expect(Object.keys((comms.info() as { comms: object }).comms)).toHaveLength(100);
  });

  it("are forgotten when the front end closes them, as one without widgets does", () => {
    const { comms, sent } = kernel();
    const widgets = createWidgets(comms);
    const onInterrupt = vi.fn();
    widgets.open({ module: "", state: {}, onMessage: () => undefined, onInterrupt });
    widgets.interrupt();
    comms.receive("comm_close", { comm_id: sent[0].content["comm_id"], data: {} });
    widgets.interrupt();
    expect(onInterrupt).toHaveBeenCalledTimes(1);
  });
});
