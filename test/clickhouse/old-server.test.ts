import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schemaOf } from "../../src/columns/arrow/schema.js";
import { clickhouseEngine } from "../../src/engine/clickhouse/clickhouse.js";
import { engineError } from "../../src/engine/clickhouse/error.js";
import { targetOf } from "../../src/engine/clickhouse/options.js";
import { planLoad } from "../../src/engine/clickhouse/plan.js";
import { connectServer, type Server } from "../../src/engine/clickhouse/server.js";

/*
 * Two nodes of Debian's clickhouse-server, a real server of 2018: ClickHouse's own HTTP layer, errors and Distributed
 * tables. It has no Arrow, so that nothing is loaded by the engine.
 */
const BINARY = [process.env["CLICKHOUSE_OLD_SERVER"], "/usr/sbin/clickhouse-server", "/usr/bin/clickhouse-server"].find(
  (path) => path !== undefined && existsSync(path),
);
if (BINARY === undefined)
  console.log("skipped: no clickhouse-server; apt-get install -y clickhouse-server (Debian 12)");

interface Node {
  readonly http: number;
  readonly tcp: number;
  readonly folder: string;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer();
      return new Promise<typeof server>((done) => server.listen(0, "127.0.0.1", () => done(server)));
    }),
  );
  return Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((done) => {
          const { port } = server.address() as { port: number };
          server.close(() => done(port));
        }),
    ),
  );
}

function configure({ http, tcp, folder }: Node, nodes: readonly Node[]): string {
  mkdirSync(folder, { recursive: true });
  const shards = nodes
    .map(
      (node) =>
        `<shard><replica><host>127.0.0.1</host><port>${node.tcp}</port><password>secret18</password></replica></shard>`,
    )
    .join("");
  writeFileSync(
    join(folder, "config.xml"),
    `<yandex><logger><level>error</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>${http}</http_port><tcp_port>${tcp}</tcp_port>
<path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>16777216</mark_cache_size>
<remote_servers><both>${shards}</both></remote_servers></yandex>`,
  );
  writeFileSync(
    join(folder, "users.xml"),
    `<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password>secret18</password>
<networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>`,
  );
  return join(folder, "config.xml");
}

describe.skipIf(BINARY === undefined)("two nodes of ClickHouse 18.16", () => {
  const folder = mkdtempSync(join(tmpdir(), "arrowbook-nodes-"));
  const stops: (() => void)[] = [];
  const nodes: Node[] = [];
  const servers: Server[] = [];
  const address = (port: number, password = "secret18") => `http://default:${password}@127.0.0.1:${port}/default`;

  beforeAll(async () => {
    const ports = await freePorts(4);
    for (const i of [0, 1]) nodes.push({ http: ports[2 * i], tcp: ports[2 * i + 1], folder: join(folder, String(i)) });
    for (const node of nodes) {
      const child = spawn(BINARY as string, [`--config-file=${configure(node, nodes)}`], {
        stdio: "ignore",
        cwd: node.folder,
      });
      stops.push(() => child.kill("SIGKILL"));
      servers.push(connectServer(targetOf(address(node.http), { retries: 8 })));
    }
    for (const server of servers) await ask(server, "SELECT 1");
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
    for (const stop of stops) stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const ask = async (server: Server, sql: string): Promise<string> => {
    const { bytes } = await server.send({ sql: `${sql} FORMAT TabSeparated`, repeatable: true, isPlain: true });
    const parts: Uint8Array[] = [];
    for await (const part of bytes) parts.push(part);
    return Buffer.concat(parts).toString().trim();
  };
  const run = (server: Server, sql: string) => server.run({ sql, repeatable: false, isPlain: true });

  it("is refused as too old, and a wrong password as that", async () => {
    await expect(clickhouseEngine(address(nodes[0].http))).rejects.toMatchObject({ code: "EngineTooOld" });
    const wrong = await clickhouseEngine(address(nodes[0].http, "wrong18word")).catch((error) => error);
    expect(wrong).toMatchObject({ code: "EngineAccess", message: expect.not.stringContaining("wrong18word") });
  });

  it("its errors have their codes", async () => {
    const code = async (sql: string) =>
      ask(servers[0], sql).then(
        () => undefined,
        (error) => engineError(error, "failed").code,
      );
    expect(await code("SELEC 1")).toBe("BadStatement");
    expect(await code("SELECT * FROM nowhere")).toBe("BadStatement");
    expect(await code("SELECT throwIf(1)")).toBe("EngineData");
    expect(await code("SELECT toInt32('x')")).toBe("EngineData");
  });

  it("the distributed table of a load sends the rows of one key to one shard", async () => {
    const columns = [
      { name: "ticker", type: "String" },
      { name: "day", type: "Integer" },
    ];
    const plan = planLoad({
      database: "default",
      name: "sep",
      schema: schemaOf(columns, { text: "utf8" }),
      key: ["ticker", "day"],
      orderBy: [],
      shardBy: ["ticker"],
      cluster: "both",
      id: "1",
      publish: "rename",
      shardRows: undefined,
    });
    for (const server of servers) {
      // What these servers lack: Keeper (ON CLUSTER, Replicated) and the window of remembered blocks.
      for (const sql of plan.create) {
        await run(
          server,
          sql
            .replace(/ ON CLUSTER `both`/g, "")
            .replace("ReplicatedReplacingMergeTree", "ReplacingMergeTree")
            .replace(/ SETTINGS .*$/, ""),
        );
      }
    }
    const [first, second] = servers;
    const into = "`default`.`arrowbook_load_1`";
    await run(
      first,
      `INSERT INTO ${into} SELECT concat('T', toString(number % 100)) AS ticker, toInt64(intDiv(number, 100)) AS day FROM numbers(1000)`,
    );
    await expect.poll(() => ask(first, `SELECT count() FROM ${into}`), { timeout: 20_000 }).toBe("1000");
    const counts = await Promise.all(servers.map((server) => ask(server, "SELECT count() FROM arrowbook_rows_1")));
    expect(Number(counts[0]) + Number(counts[1])).toBe(1_000);
    for (const count of counts) expect(Number(count)).toBeGreaterThan(200);
    const tickers = await Promise.all(
      servers.map(async (server) => (await ask(server, "SELECT DISTINCT ticker FROM arrowbook_rows_1")).split("\n")),
    );
    expect(new Set([...tickers[0], ...tickers[1]]).size).toBe(tickers[0].length + tickers[1].length);
    expect(await ask(second, `SELECT sum(day) FROM ${into}`)).toBe(String(100 * 45));
    // A row with the same key lands beside the old one, where FINAL finds both.
    await run(second, `INSERT INTO ${into} SELECT 'T7' AS ticker, toInt64(3) AS day`);
    await expect.poll(() => ask(first, `SELECT count() FROM ${into}`), { timeout: 20_000 }).toBe("1001");
    expect(await ask(first, `SELECT count() FROM ${into} FINAL`)).toBe("1000");
  });
});
