import { describe, expect, it } from "vitest";
import { connect } from "../../src/client/service.js";

/* Pages of a table in XML: what the rows of one page say about the next, and where an error is. */

const page = (rows: string, cursor: string | null): string =>
  `<?xml version="1.0"?><service-response><datatable><data type="array">${rows}</data><columns type="array">` +
  "<column><name>t</name><type>String</type></column><column><name>n</name><type>Integer</type></column></columns>" +
  `</datatable><meta>${cursor === null ? '<next-cursor-id nil="true"/>' : `<next-cursor-id>${cursor}</next-cursor-id>`}</meta></service-response>`;

const row = (t: string, n: string): string => `<datum><datum>${t}</datum><datum type="integer">${n}</datum></datum>`;

const answering = (...pages: string[]) => {
  let next = 0;
  return connect({
    url: "https://data.example.com",
    apiKey: "xml-pages-key-0123456789",
    retry: { attempts: 1 },
    warn: () => undefined,
    fetch: (async () =>
      new Response(pages[Math.min(next++, pages.length - 1)], {
        headers: { "content-type": "application/xml" },
      })) as typeof globalThis.fetch,
  })
    .table("V/T")
    .format("xml");
};

describe("pages in XML", () => {
  it("are put together in order", async () => {
    const frame = await answering(page(row("a", "1"), "c1"), page(row("b&amp;", "2") + row("", "3"), null)).frame();
    expect([...frame.rows()]).toEqual([
      { t: "a", n: 1 },
      { t: "b&", n: 2 },
      { t: "", n: 3 },
    ]);
  });

  it("a page that comes again under another cursor is a loop", async () => {
    const again = row("a", "1") + row("b", "2");
    await expect(answering(page(again, "c1"), page(again, "c2"), page(again, null)).frame()).rejects.toMatchObject({
      code: "CursorLoop",
    });
  });

  it("a cell that does not fit is named with row, page and byte; so is a row of another width", async () => {
    const bad = page(row("a", "1") + row("b", "x"), null);
    await expect(answering(bad).frame()).rejects.toMatchObject({
      code: "BadCell",
      row: 1,
      column: "n",
      offset: Buffer.from(bad).indexOf('<datum type="integer">x'),
    });
    const short = page(`${row("a", "1")}<datum><datum>b</datum></datum>`, null);
    await expect(answering(page(row("a", "0"), "c1"), short).frame()).rejects.toMatchObject({
      code: "ShortRow",
      message: expect.stringContaining("page 2"),
    });
  });
});
