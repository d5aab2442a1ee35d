import { expect, it } from "vitest";
import { connect } from "../../src/index.js";

it.each(["}\n", "Date\n", "Date\n2024-01-02\n"])("a dataset's CSV of one column is refused: %j", async (body) => {
  const fetch = async (): Promise<Response> => new Response(body, { headers: { "content-type": "text/csv" } });
  const service = connect({
    url: "http://x.example",
    apiKey: "canary-key-0123456789abcdef-csv",
    fetch: fetch as never,
  });
  const query = service.dataset("A/B").format("csv");
  await expect(query.frame()).rejects.toMatchObject({ name: "DataError", code: "UnexpectedShape" });
});
