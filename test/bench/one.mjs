// Runs one contender in a process of its own and prints its times and processor times (milliseconds, first and second
// run) and its peak memory (bytes).
import { groups } from "./contenders.mjs";

const [group, name] = process.argv.slice(2);
const { run, runs = 2 } = groups[group].contenders[name];
const times = [];
const cpu = [];
let seen;
for (let i = 0; i < runs; i++) {
  const start = performance.now();
  const before = process.cpuUsage();
  seen = await run();
  times.push(seen?.ms ?? performance.now() - start);
  const { user, system } = process.cpuUsage(before);
  cpu.push((user + system) / 1e3);
}
process.stdout.write(
  `${JSON.stringify({ times, cpu, seen: seen?.ms === undefined ? seen : null, peak: seen?.peak ?? process.resourceUsage().maxRSS * 1024 })}\n`,
);
process.exit(0);
