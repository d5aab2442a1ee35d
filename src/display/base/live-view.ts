/** A part of an output that the kernel keeps up to date while the notebook is open. */
export interface LiveView {
  /** Sends a message to all places that show the view. */
  send(message: object): void;
  /** Sets members of the state that a reloaded page starts from, without sending them. */
  keep(state: object): void;
  close(): void;
}

export interface LiveViewSpec {
  /** A JavaScript module for the page, with the protocol of anywidget: its default export has `initialize`. */
  readonly module: string;
  /** JSON that the module reads with `model.get(name)`. */
  readonly state: Readonly<Record<string, unknown>>;
  readonly onMessage: (message: unknown) => void;
  /** Called when the user interrupts the kernel: code that `onMessage` started may have been terminated. */
  readonly onInterrupt?: () => void;
}

export interface LiveHost {
  open(spec: LiveViewSpec): LiveView;
}

const LIVE = Symbol.for("arrowbook.live");

type Global = { [LIVE]?: LiveHost };

/** Makes live views available to cells, which may load another copy of this package. */
export function offerLiveHost(host: LiveHost): void {
  (globalThis as Global)[LIVE] = host;
}

/** The live views of the kernel that runs in this process; undefined elsewhere. */
export function liveHost(): LiveHost | undefined {
  return (globalThis as Global)[LIVE];
}
