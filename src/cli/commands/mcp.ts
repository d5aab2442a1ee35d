import { Command } from "commander";
import { InputError, missingPackage } from "../../errors/errors.js";
import { version } from "../../package/package-root.js";
import { type AnswerSource, copySource, serviceSource } from "../assistant/source.js";
import { ASSISTANT_TOOLS, replyOf } from "../assistant/tools.js";
import { day, examples, type ServiceFlags, serving, stoppable, withService } from "../input/service-flags.js";

interface McpFlags extends ServiceFlags {
  readonly from?: string;
  readonly asOf?: string;
}

/** The part of `@modelcontextprotocol/server` in use. */
interface McpModule {
  readonly McpServer: new (
    about: { readonly name: string; readonly version: string },
    options: { readonly instructions: string },
  ) => {
    registerTool(name: string, about: object, run: (input: object) => Promise<object>): void;
    connect(transport: object): Promise<void>;
    close(): Promise<void>;
  };
  fromJsonSchema(schema: object): object;
}

/** `arrowbook mcp`: answers an assistant over the Model Context Protocol on stdin and stdout. */
export function mcpCommand(): Command {
  return examples(
    withService(new Command("mcp")),
    "arrowbook mcp --sample",
    "arrowbook mcp --from mirrors --as-of 2024-12-31",
  )
    .description("answer the questions of an assistant (Model Context Protocol on stdin and stdout), read-only")
    .option("--from <place>", "answer from the copies that arrowbook sync made there (its --to); sends no request")
    .option("--as-of <day>", "with --from: nothing that became known later than this day is seen", day)
    .action(run);
}

async function run(flags: McpFlags): Promise<void> {
  const { from, asOf } = flags;
  if (from !== undefined) return stoppable("", (signal) => answer(copySource(from, asOf), asOf, signal));
  if (asOf === undefined) {
    return serving({ ...flags, quiet: true }, "", (service, signal) => answer(serviceSource(service), asOf, signal));
  }
  throw new InputError("The service has the newest state of a table alone.", {
    code: "BadArgument",
    hint: "Pass the place of copies with their history: --from mirrors.",
  });
}

async function answer(source: AnswerSource, asOf: string | undefined, signal: AbortSignal): Promise<void> {
  const { McpServer, fromJsonSchema, StdioServerTransport } = await load();
  const time = asOf === undefined ? "" : ` Everything is as it was known at the end of ${asOf} in UTC.`;
  const instructions = `Exact data of time series and tables, read-only. Begin with find and describe.${time}`;
  const server = new McpServer({ name: "arrowbook", version: version() }, { instructions });
  for (const tool of ASSISTANT_TOOLS) {
    const { name, description, inputSchema } = tool;
    const about = { description, inputSchema: fromJsonSchema(inputSchema), annotations: { readOnlyHint: true } };
    server.registerTool(name, about, (input) => replyOf(tool, source, input, signal));
  }
  await server.connect(new StdioServerTransport());
  await new Promise<void>((resolve) => {
    process.stdin.once("end", resolve).once("close", resolve);
    signal.addEventListener("abort", () => resolve());
  });
  await server.close();
}

async function load(): Promise<McpModule & { readonly StdioServerTransport: new () => object }> {
  // Not literals, so that compilers do not look for the package.
  const name = "@modelcontextprotocol/server";
  try {
    const { StdioServerTransport } = await import(`${name}/stdio`);
    return { ...((await import(name)) as McpModule), StdioServerTransport };
  } catch (cause) {
    throw missingPackage(`arrowbook mcp requires the package ${name}.`, name, cause);
  }
}
