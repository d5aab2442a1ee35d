import type { Socket } from "node:net";

interface AddressConnections {
  readonly all: Set<Socket>;
  /** Idle connections, the longest idle first. */
  readonly idle: Set<Socket>;
}

/** Keeps connections within `limits`, so that idle connections cannot keep others out. */
export function connections(limits: { readonly total: number; readonly perAddress: number }) {
  const byAddress = new Map<string, AddressConnections>();
  let total = 0;

  const remove = (address: string, socket: Socket): void => {
    const own = byAddress.get(address);
    if (!own?.all.delete(socket)) return;
    total--;
    own.idle.delete(socket);
    if (own.all.size === 0) byAddress.delete(address);
  };
  const dropIdle = (address: string, own: AddressConnections | undefined): boolean => {
    const [oldest] = own?.idle ?? [];
    if (oldest === undefined) return false;
    remove(address, oldest);
    oldest.destroy();
    return true;
  };
  const dropAnyIdle = (): boolean => {
    const addresses = [...byAddress].filter(([, own]) => own.idle.size > 0);
    const [most] = addresses.sort(([, a], [, b]) => b.all.size - a.all.size);
    return most !== undefined && dropIdle(...most);
  };

  return {
    /**
     * Accepts a new connection, if necessary instead of an idle one: the oldest of the same address, or of the address
     * that has most. False where every connection that could go has a request under way.
     */
    admit(socket: Socket): boolean {
      const address = socket.remoteAddress ?? "";
      const own = byAddress.get(address);
      if (own !== undefined && own.all.size >= limits.perAddress && !dropIdle(address, own)) return false;
      if (total >= limits.total && !dropAnyIdle()) return false;
      const place = byAddress.get(address) ?? { all: new Set(), idle: new Set() };
      byAddress.set(address, place);
      place.all.add(socket);
      place.idle.add(socket);
      total++;
      socket.once("close", () => remove(address, socket));
      return true;
    },
    /** Marks a connection as having, or no longer having, a request in progress. */
    asking(socket: Socket, isAsking: boolean): void {
      const own = byAddress.get(socket.remoteAddress ?? "");
      if (!own?.all.has(socket)) return;
      own.idle.delete(socket);
      if (!isAsking) own.idle.add(socket);
    },
    idle: (): Socket[] => [...byAddress.values()].flatMap(({ idle }) => [...idle]),
  };
}
