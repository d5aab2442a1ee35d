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

it("an idle kernel loads types, package and service, so that the first completion of a column has all it needs", async () => {
  const { executor, calls } = noting(() => "the service");
  const prelude = new Prelude(executor, undefined);
  expect(prelude.service()).toBeUndefined();
  expect([prelude.whenIdle(), prelude.whenIdle(), prelude.whenIdle(), prelude.whenIdle()]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  await expect.poll(() => prelude.service()).toBe("the service");
  expect(calls.slice(0, 3)).toEqual(["offer", 'complete service.table("A/B").select("', "load arrowbook"]);
});

it("a service that cannot be created in advance is created again where a cell uses it", async () => {
  let tries = 0;
  const { executor } = noting(() => {
    tries++;
    if (tries === 1) throw new Error("not yet");
    return "the service";
  });
  const prelude = new Prelude(executor, undefined);
  while (prelude.whenIdle());
  await expect.poll(() => tries).toBe(1);
  expect(prelude.service()).toBeUndefined();
  await prelude.before("service.table('A/B')", "run");
  expect(prelude.service()).toBe("the service");
});
