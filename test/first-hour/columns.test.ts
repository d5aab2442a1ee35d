import { describeMistakes } from "./mistakes.js";

describeMistakes("columns", [
  ['p.column("Close")', "UnknownColumn", 'Did you mean "close"?'],
  ['p.column("ticker").toNumbers()', "WrongType", "toStrings() and get() support every column type"],
  ['p.column("close").toDates()', "WrongType", "toStrings() and get() support every column type"],
  ['p.column("close").get(99999)', "OutOfRange", "Rows go from 0 to 43"],
  [
    'p.column("close").add("x")',
    "BadArgument",
    "Pass a column of this type, or a value such as its cells: a number, a decimal",
  ],
  ['p.column("close").add(p.column("ticker"))', "WrongType", "Convert one of them with cast()"],
  ['p.column("ticker").mul(2)', "WrongType", "Use another column, or convert this one with cast()"],
  [
    'p.column("close").gt("high")',
    "BadArgument",
    "Pass a column of this type, or a value such as its cells: a number, a decimal",
  ],
  [
    'p.column("close").eq("1.2.3")',
    "BadArgument",
    "Pass a column of this type, or a value such as its cells: a number, a decimal",
  ],
  ['p.column("close").isIn("AAA")', "BadArgument", 'Pass a list: isIn(["AAPL", "MSFT"])'],
  ['p.column("close").and(true)', "WrongType", "Use another column, or convert this one with cast()"],
  [
    'p.column("close").cast("float64")',
    "BadArgument",
    "The types are String, Date, DateTime, BigDecimal(p,s), Integer, double, Boolean",
  ],
  ['p.column("ticker").cast("double")', "BadCell", 'Correct the type or the data, or pass onBadCell: "null"'],
  ['p.column("ticker").contains(5)', "BadArgument", 'Pass the text to look for: contains("Inc")'],
  [
    'p.column("close").between(1)',
    "BadArgument",
    "Pass a column of this type, or a value such as its cells: a number, a decimal",
  ],
  ['p.column("close").round("2")', "BadArgument", "Pass a whole number from -76 to 76"],
  ['p.column("ticker").year()', "WrongType", "Use another column, or convert this one with cast()"],
  ["p.column(99)", "UnknownColumn", "Positions go from 0 to 6"],
  ["p.column(-1)", "UnknownColumn", "Positions go from 0 to 6"],
  ["p.column()", "BadArgument", "Pass a column name or a position"],
  ['p.column("close").div(0, { digits: "x" })', "UnknownOption", 'The options are "scale"'],
  ['p.column("ticker").startsWith(5)', "BadArgument", 'Pass the text to look for: startsWith("Inc")'],
  [
    'p.column("close").fill("none")',
    "BadArgument",
    "Pass a column of this type, or a value such as its cells: a number, a decimal",
  ],
  [
    'p.column("close").isIn([{}])',
    "BadArgument",
    "Pass a column of this type, or a value such as its cells: a number, a decimal",
  ],
  [
    'p.column("close").between("a", "b")',
    "BadArgument",
    "Pass a column of this type, or a value such as its cells: a number, a decimal",
  ],
  ['p.column("ticker").cast("Date")', "BadCell", 'Correct the type or the data, or pass onBadCell: "null"'],
]);
