import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArrowbookError, DataError, InputError, isArrowbookError, ServiceError } from "../../src/errors/errors.js";
import { nearest, suggestion } from "../../src/errors/nearest.js";
import { unreachable } from "../../src/errors/options.js";
import { rememberSecret, scrub } from "../../src/errors/secrets.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

describe("keys are removed from every text", () => {
  it.each([
    ["https://h/api/v3/x.json?api_key=s3cret&a=1", "https://h/api/v3/x.json?api_key=[key]&a=1"],
    ["?a=1&api_key=abc", "?a=1&api_key=[key]"],
    ["X-Api-Token: abcdef", "X-Api-Token: [key]"],
    ['{"api_key":"abc","b":1}', '{"api_key":"[key]","b":1}'],
    ["auth_token=abc def", "auth_token=[key] def"],
    ["redirect to %3Fapi_key%3Dabc", "redirect to %3Fapi_key%3D[key]"],
    ["nothing here", "nothing here"],
  ])("%s", (given, expected) => expect(scrub(given)).toBe(expected));

  it("a known key is removed everywhere, percent-encoded too", () => {
    rememberSecret("pa ss/w&rd=1");
    expect(scrub("failed at pa ss/w&rd=1 today")).toBe("failed at [key] today");
    expect(scrub(`failed at ${encodeURIComponent("pa ss/w&rd=1")}`)).toBe("failed at [key]");
  });

  it("short keys, which may be common text, leave ordinary text alone", () => {
    rememberSecret("sample");
    expect(scrub("the sample data")).toBe("the sample data");
  });

  it("no field, cause or inspection of an error shows it", () => {
    const key = "k-1234567890";
    rememberSecret(key);
    const cause = Object.assign(new Error(`Invalid URL http://h/?api_key=${key}`), {
      input: `http://h/?api_key=${key}`,
    });
    const error = new ServiceError(`asking http://h/?api_key=${key} failed`, {
      code: "QECx02",
      hint: `not ${key}`,
      body: `<html>${key}`,
      value: key,
      cause,
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key);
    expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toContain(key);
  });

  it("a percent-encoded or plain key never survives, whatever surrounds it", () => {
    forAll(runs(200), fc.string({ minLength: 8 }), fc.string(), fc.string(), (key, before, after) => {
      rememberSecret(key);
      expect(scrub(`${before}${key}${after}`)).not.toContain(key.length > "[key]".length ? key : "\u0000");
    });
  });
});

describe("the error family", () => {
  it("is recognised by class, by name across copies, and from others", () => {
    const error = new DataError("row 3", { code: "BadCell", row: 3, column: "close", value: "x", offset: 17 });
    expect(error).toBeInstanceOf(ArrowbookError);
    expect(error.name).toBe("DataError");
    expect({ ...error }).toMatchObject({ code: "BadCell", row: 3, column: "close", value: "x", offset: 17 });
    expect(isArrowbookError(error)).toBe(true);
    expect(isArrowbookError(Object.assign(new Error("x"), { name: "InputError", code: "Unknown" }))).toBe(true);
    expect(isArrowbookError(new Error("x"))).toBe(false);
    expect(isArrowbookError(new InputError("x", { code: "UnknownColumn" }))).toBe(true);
  });

  it("clips long values and says how long they were", () => {
    expect(new DataError("x", { code: "BadCell", value: "a".repeat(1000) }).value).toMatch(
      /^a{200}… \(1000 characters\)$/,
    );
  });
});

describe("nearest names", () => {
  it.each([
    ["clse", ["open", "close", "closeadj"], ["close"]],
    ["Close", ["open", "close"], ["close"]],
    ["montly", ["daily", "weekly", "monthly"], ["monthly"]],
    ["xyz", ["open", "close"], []],
  ])("%s", (name, names, expected) => expect(nearest(name, names)).toEqual(expected));

  it("the sentence names what is near, else what there is", () => {
    expect(suggestion("clse", ["open", "close"], "columns")).toBe('Did you mean "close"?');
    expect(suggestion("xyz", ["open", "close"], "columns")).toBe('The columns are "open", "close".');
  });
});

it("a value from outside of a closed union is an error that names it, not another case", () => {
  expect(() => unreachable("pie" as never, "mark")).toThrow(
    expect.objectContaining({
      name: "InputError",
      code: "UnknownValue",
      value: "pie",
      message: 'Unknown mark: "pie".',
    }),
  );
});
