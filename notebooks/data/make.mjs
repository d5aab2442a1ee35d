// Makes the sample files of this folder from the npm package vega-datasets (its datapackage.json names sources and
// licences; README.md repeats them). `node notebooks/data/make.mjs [folder]` writes the same bytes every time; a test
// holds the committed files to that.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Papa from "papaparse";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(dirname(createRequire(import.meta.url).resolve("vega-datasets")), "..", "data");
const target = process.argv[2] ?? here;

const read = (name) => readFileSync(join(source, name), "utf8");
const rowsOf = (name) => Papa.parse(read(name), { header: true, skipEmptyLines: true }).data;

/** Text is quoted where CSV needs it, and where it is empty, because an unquoted empty cell means null. */
const cell = (value) => {
  if (value === null) return "";
  const text = String(value);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const write = (name, columns, rows) => {
  const lines = [columns, ...rows].map((row) => row.map(cell).join(","));
  writeFileSync(join(target, name), `${lines.join("\n")}\n`);
};

/** An empty cell of a number column is null in these sources. */
const number = (text) => (text === "" ? null : text);

const weather = () => {
  const columns = ["Date", "Precipitation", "Temp Max", "Temp Min", "Wind"];
  const all = rowsOf("weather.csv");
  for (const [location, file] of [
    ["Seattle", "weather-seattle.csv"],
    ["New York", "weather-newyork.csv"],
  ]) {
    const rows = all.filter((row) => row.location === location);
    write(
      file,
      columns,
      rows.map((row) => [row.date, row.precipitation, row.temp_max, row.temp_min, row.wind].map(number)),
    );
  }
};

const employment = () => {
  const rows = rowsOf("us-employment.csv");
  const names = Object.keys(rows[0]).filter((name) => name !== "month");
  write(
    "labor-employment.csv",
    ["Date", ...names],
    rows.map((row) => [row.month, ...names.map((name) => number(row[name]))]),
  );
};

/** Months that the Scripps record marks as missing are left out by the package; here they are rows with empty cells. */
const co2 = () => {
  const rows = [];
  let expected;
  for (const row of rowsOf("co2-concentration.csv")) {
    const [year, month] = row.Date.split("-").map(Number);
    const at = year * 12 + month - 1;
    for (let gap = expected ?? at; gap < at; gap++) rows.push([firstOfMonth(gap), null, null]);
    rows.push([row.Date, number(row.CO2), number(row["adjusted CO2"])]);
    expected = at + 1;
  }
  write("climate-co2.csv", ["Date", "CO2", "adjusted CO2"], rows);
};

const firstOfMonth = (at) => `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}-01`;

const flights = () => {
  const rows = JSON.parse(read("flights-20k.json"));
  write(
    "transport-flights.csv",
    ["id", "date", "delay", "distance", "origin", "destination"],
    rows.map((row, index) => [
      index + 1,
      row.date.slice(0, 10).replaceAll("/", "-"),
      row.delay,
      row.distance,
      row.origin,
      row.destination,
    ]),
  );
};

/** Coordinates have at most eight fraction digits in the source, so that BigDecimal(11,8) holds them as they are. */
const airports = () => {
  const columns = ["iata", "name", "city", "state", "country", "latitude", "longitude"];
  const rows = rowsOf("airports.csv");
  for (const row of rows) {
    for (const name of ["latitude", "longitude"]) {
      if (!/^-?\d{1,3}(\.\d{1,8})?$/.test(row[name])) throw new Error(`${row.iata}: ${name} ${row[name]} is too long`);
    }
  }
  write(
    "transport-airports.csv",
    columns,
    rows.map((row) => columns.map((name) => row[name])),
  );
};

const strikes = () => {
  const rows = rowsOf("birdstrikes.csv");
  const names = Object.keys(rows[0]);
  const numbers = new Set(["Cost Other", "Cost Repair", "Cost Total $", "Speed IAS in knots"]);
  write(
    "transport-strikes.csv",
    ["id", ...names],
    rows.map((row, index) => [index + 1, ...names.map((name) => (numbers.has(name) ? number(row[name]) : row[name]))]),
  );
};

mkdirSync(target, { recursive: true });
for (const make of [weather, employment, co2, flights, airports, strikes]) make();
