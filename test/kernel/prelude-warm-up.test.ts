import { expect, it } from "vitest";
import type { Executor } from "../../src/kernel/runtime/executor.js";
import { Prelude } from "../../src/kernel/runtime/prelude.js";

/** An executor that notes what a prelude asks of it. */
function noting(connect: () => unknown): { readonly executor: Executor; readonly calls: string[] } {
  const calls: string[] = [];
  const executor: Partial<Executor> = {
    offer: () => void calls.push("offer"),
    warmUp: (code) => void calls.push(`complete ${code}`),
    load: async (id) => {
      calls.push(`load ${id}`);
      return { connect: Object.assign(connect, { sample: async () => connect() }) };
    },
  };
  return { executor: executor as Executor, calls };
}

it("an idle kernel loads nothing that no cell has used, and once the types that completions need after one has", async () => {
  const { executor, calls } = noting(() => "the service");
  const prelude = new Prelude(executor, undefined);
  prelude.whenIdle();
  await prelude.before("1 + 1", "run");
  prelude.whenIdle();
  expect(calls).toEqual([]);
  await prelude.before("Frame", "run");
  prelude.whenIdle();
  prelude.whenIdle();
  expect(calls).toEqual(["offer", "load arrowbook", 'complete service.table("A/B").select("']);
  expect(prelude.service()).toBeUndefined();
});

it("a service that cannot be created for a completion is created again where a cell uses it", async () => {
  let tries = 0;
  const { executor } = noting(() => {
    tries++;
    if (tries === 1) throw new Error("not yet");
    return "the service";
  });
  const prelude = new Prelude(executor, undefined);
  await prelude.serviceFor("service.table('A");
  expect(tries).toBe(1);
  expect(prelude.service()).toBeUndefined();
  await prelude.before("service.table('A/B')", "run");
  expect(prelude.service()).toBe("the service");
});
