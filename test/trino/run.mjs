// test:trino: the tests of arrowbook/trino, against the server in TRINO_URL or against its own: the jars of Trino
// 435 from Maven Central, a coordinator and a worker in one Java process, started here and stopped at the end.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const target = join(here, "target");
const classPath = join(target, "class-path.txt");
let server;

const url = process.env.TRINO_URL ?? (await start());
const args = ["node_modules/vitest/vitest.mjs", "run", "--config", ".config/vitest.trino.config.ts"];
const { status } = spawnSync(process.execPath, [...args, ...process.argv.slice(2)], {
  cwd: join(here, "../.."),
  stdio: "inherit",
  env: { ...process.env, TRINO_URL: url },
});
server?.kill();
process.exit(status ?? 1);

async function start() {
  need("java", ["-version"], "a Java runtime, 17 or newer (Debian: openjdk-17-jdk-headless)");
  need("javac", ["-version"], "a Java compiler, 17 or newer (Debian: openjdk-17-jdk-headless)");
  need("mvn", ["-version"], "Maven (Debian: maven)");
  mkdirSync(target, { recursive: true });
  if (!existsSync(classPath)) {
    console.log("test:trino gets Trino from Maven Central (160 MB)");
    const goal = [
      "-q",
      "-B",
      "-f",
      join(here, "pom.xml"),
      "dependency:build-classpath",
      `-Dmdep.outputFile=${classPath}`,
    ];
    execFileSync("mvn", goal, { stdio: "inherit" });
  }
  const jars = readFileSync(classPath, "utf8").trim();
  execFileSync("javac", ["-d", target, "-cp", jars, join(here, "TrinoServer.java")], { stdio: "inherit" });
  // The standard input stays open as long as the server is to run.
  server = spawn("java", ["-Xmx1g", "-cp", jars + delimiter + target, "TrinoServer", "0", "2"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = new Promise((_, fail) => server.once("exit", (code) => fail(new Error(`Trino ended with ${code}`))));
  gone.catch(() => undefined);
  const ready = (async () => {
    for await (const line of createInterface({ input: server.stdout })) {
      const [, address] = /^(http:\S+) ready/.exec(line) ?? [];
      if (address !== undefined) return address;
    }
    return gone;
  })();
  const address = await Promise.race([ready, gone]);
  console.log(`Trino is ready at ${address}`);
  return address;
}

function need(command, words, what) {
  if (spawnSync(command, words, { stdio: "ignore" }).status === 0) return;
  console.error(`test:trino lacks ${what}, or the address of a server in TRINO_URL`);
  process.exit(1);
}
