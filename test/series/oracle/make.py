"""Writes pandas.jsonl: what pandas computes, for test/series-pandas.test.ts to compare with.

Run with Debian's python3-pandas (1.5.3): /usr/bin/python3 test/series/oracle/make.py
Line 1: versions. Then one table for each line {"table": name, "columns": {name: [type, values]}} and one case for each line
{"case": text, "table": name, "call": [method, ...arguments], "tolerance": relative, "expected": {column: values}}.
An argument {"$frame": name} stands for that table. Dates are text, null is null, doubles are written so that they read back exactly.
"""

import json
import os
import sys

import numpy as np
import pandas as pd

rng = np.random.default_rng(20240229)
lines = [{"python": sys.version.split()[0], "pandas": pd.__version__, "numpy": np.__version__}]
tables = {}


def plain(series):
    if pd.api.types.is_datetime64_any_dtype(series):
        return [None if pd.isna(v) else v.strftime("%Y-%m-%d") for v in series]
    return [None if pd.isna(v) else (v.item() if hasattr(v, "item") else v) for v in series]


def type_of(series):
    if pd.api.types.is_datetime64_any_dtype(series):
        return "Date"
    if pd.api.types.is_numeric_dtype(series):
        return "double"
    return "String"


def table(name, frame):
    tables[name] = frame
    columns = {c: [type_of(frame[c]), plain(frame[c])] for c in frame.columns}
    lines.append({"table": name, "columns": columns})
    return frame


def case(text, name, call, expected, tolerance=0.0):
    columns = {c: plain(expected[c]) for c in expected.columns}
    lines.append({"case": text, "table": name, "call": call, "tolerance": tolerance, "expected": columns})


def series_of(ticker, start, count, nulls, step):
    days = pd.Timestamp(start) + pd.to_timedelta(np.cumsum(rng.integers(1, step, count)), unit="D")
    a = np.exp(np.cumsum(rng.normal(0, 0.02, count))) * 100
    b = np.round(rng.normal(0, 1000, count), 2)
    a[rng.random(count) < nulls] = np.nan
    return pd.DataFrame({"ticker": ticker, "date": days, "a": a, "b": b})


# Three series of different density; B begins and ends with nulls.
long = pd.concat(
    [
        series_of("A", "2019-12-20", 70, 0.1, 4),
        series_of("B", "2020-01-15", 50, 0.35, 7),
        series_of("C", "1969-11-03", 35, 0.0, 30),
    ],
    ignore_index=True,
)
long.loc[70:74, "a"] = np.nan
long.loc[116:119, "a"] = np.nan
table("long", long)
VALUES = ["a", "b"]
BY = {"by": "ticker"}


def by(function):
    """`function` of each series' values, in the order of the table."""
    parts = [function(g.set_index("date")[VALUES]).reset_index(drop=True) for _, g in long.groupby("ticker", sort=False)]
    return pd.concat(parts, ignore_index=True)


# Windows of rows.
for word in ["mean", "sum", "min", "max", "std", "var", "median", "count"]:
    exact = word in ("min", "max", "count")
    for size, least, center in [(5, None, False), (7, 2, False), (4, 1, True), (1, 1, False), (200, 1, False), (5, 3, True)]:
        options = dict(BY)
        if least is not None:
            options["minPeriods"] = least
        if center:
            options["center"] = True
        result = by(lambda s: getattr(s.rolling(size, min_periods=least, center=center), word)())
        if word == "count" and least is None:
            result = by(lambda s: s.rolling(size, min_periods=size).count())
        case(f"rolling {size} {word} {least} {center}", "long", ["rolling", size, word, options], result, 0 if exact else 1e-11)
for q in [0, 0.1, 0.5, 0.9, 1]:
    result = by(lambda s: s.rolling(10, min_periods=4).quantile(q))
    case(f"rolling quantile {q}", "long", ["rolling", 10, "quantile", {**BY, "quantile": q, "minPeriods": 4}], result, 1e-13)

# Windows of days.
for word in ["mean", "sum", "min", "max", "std", "median"]:
    exact = word in ("min", "max")
    for size, least, center in [(10, 1, False), (30, 3, False), (15, 1, True), (14, 1, True)]:
        options = {**BY, "unit": "days", "minPeriods": least}
        if center:
            options["center"] = True
        result = by(lambda s: getattr(s.rolling(f"{size}D", min_periods=least, center=center), word)())
        case(f"rolling {size} days {word} {least} {center}", "long", ["rolling", size, word, options], result, 0 if exact else 1e-11)

# Exponential weights.
for weights in [{"span": 10}, {"alpha": 0.3}, {"halflife": 5}, {"com": 4}]:
    for adjust in [True, False]:
        for ignore in [True, False]:
            for word in ["mean", "std", "var"]:
                options = {**BY, **weights, "adjust": adjust, "ignoreNulls": ignore}
                result = by(lambda s: getattr(s.ewm(**weights, adjust=adjust, ignore_na=ignore), word)())
                case(f"ewm {weights} {adjust} {ignore} {word}", "long", ["ewm", options, word], result, 1e-10)
case("ewm least", "long", ["ewm", {**BY, "span": 5, "minPeriods": 4}], by(lambda s: s.ewm(span=5, min_periods=4).mean()), 1e-10)

# Steps and running values.
for steps in [1, 3, -2, 0, 500]:
    case(f"shift {steps}", "long", ["shift", steps, BY], by(lambda s: s.shift(steps)))
    case(f"diff {steps}", "long", ["diff", steps, BY], by(lambda s: s.diff(steps)))
    case(f"pctChange {steps}", "long", ["pctChange", steps, BY], by(lambda s: s / s.shift(steps) - 1), 1e-10)
case("log returns", "long", ["returns", {**BY, "kind": "log", "columns": "a"}], pd.DataFrame({"a": by(lambda s: np.log(s / s.shift()))["a"]}), 1e-15)
case("cumsum", "long", ["cumsum", BY], by(lambda s: s.cumsum()), 1e-12)
case("cumprod", "long", ["cumprod", {**BY, "columns": "a"}], pd.DataFrame({"a": by(lambda s: s.cumprod())["a"]}), 1e-13)
case("cummax", "long", ["cummax", BY], by(lambda s: s.cummax()))
case("cummin", "long", ["cummin", BY], by(lambda s: s.cummin()))
case("drawdown", "long", ["drawdown", {**BY, "columns": "a"}], pd.DataFrame({"a": by(lambda s: s / s.cummax() - 1)["a"]}), 1e-14)

# Filling.
case("fill forward", "long", ["fill", "forward", BY], by(lambda s: s.ffill()))
case("fill forward 1", "long", ["fill", "forward", {**BY, "limit": 1}], by(lambda s: s.ffill(limit=1)))
case("fill backward 2", "long", ["fill", "backward", {**BY, "limit": 2}], by(lambda s: s.bfill(limit=2)))
case("fill 0", "long", ["fill", 0, BY], by(lambda s: s.fillna(0)))

# Periods.
RULES = {"daily": "D", "weekly": "W-SUN", "monthly": "M", "quarterly": "Q-DEC", "annual": "A-DEC"}
AGGREGATES = ["last", "first", "mean", "sum", "min", "max", "count", "std", "median"]


def periods(rule, word, holes):
    parts = []
    for ticker, g in long.groupby("ticker", sort=False):
        sampled = g.set_index("date")[VALUES].resample(rule)
        values = sampled.sum(min_count=1) if word == "sum" else getattr(sampled, word)()
        if not holes:
            values = values[sampled.size() > 0]
        values = values.reset_index()
        values.insert(0, "ticker", ticker)
        parts.append(values)
    return pd.concat(parts, ignore_index=True)


for frequency, rule in RULES.items():
    for word in AGGREGATES:
        tolerance = 1e-12 if word in ("mean", "sum", "std", "median") else 0
        options = {**BY, "value": word}
        case(f"collapse {frequency} {word}", "long", ["collapse", frequency, options], periods(rule, word, False), tolerance)
    if frequency != "daily":
        holes = periods(rule, "last", True)
        case(f"resample {frequency}", "long", ["resample", frequency, BY], holes)
case("collapse to weeks that end on Wednesday", "long", ["collapse", "weekly", {**BY, "week": "wednesday"}], periods("W-WED", "last", False))
a_only = long[long.ticker == "A"].reset_index(drop=True)
table("a_only", a_only)
daily = a_only.set_index("date")[VALUES].resample("D").last().ffill().reset_index()
case("resample daily, filled", "a_only", ["resample", "daily", {"gaps": "forward"}], daily)

# The service's transforms, in pandas.
table("dense", a_only.assign(a=a_only.a.ffill()))
dense = tables["dense"]
case("transform rdiff", "dense", ["transform", "rdiff"], dense[VALUES].pct_change().iloc[1:], 1e-10)
case("transform normalize", "dense", ["transform", "normalize"], dense[VALUES] / dense[VALUES].iloc[0] * 100, 1e-13)
case("transform rdiff_from", "dense", ["transform", "rdiff_from"], (dense[VALUES].iloc[-1] - dense[VALUES]) / dense[VALUES], 1e-10)

# Groups.
grouped = long.groupby("ticker", sort=False)
summary = grouped.agg(a_mean=("a", "mean"), a_std=("a", "std"), a_count=("a", "count"), b_sum=("b", "sum"), b_min=("b", "min")).reset_index()
aggregates = {"a": ["mean", "std", "count"], "b": ["sum", "min"]}
case("groupBy agg", "long", ["groupBy:ticker", aggregates], summary, 1e-12)
quarters = grouped.b.quantile(0.25).reset_index()
case("groupBy quantile", "long", ["groupBy:ticker", {"b": {"quantile": 0.25}}], quarters, 1e-13)
nunique = long.assign(b=(long.b / 500).round()).pipe(lambda f: table("coarse", f)).groupby("ticker", sort=False).b.nunique().reset_index()
case("groupBy unique", "coarse", ["groupBy:ticker", {"b": "nunique"}], nunique)

# Wide, described, correlated.
described = long[VALUES].describe()
described.insert(0, "statistic", described.index)
described.loc["nulls"] = ["nulls", long.a.isna().sum(), long.b.isna().sum()]
described = described.loc[["count", "nulls", "mean", "std", "min", "25%", "50%", "75%", "max"]]
case("describe", "long", ["describe"], described, 1e-12)
for method in ["pearson", "spearman"]:
    matrix = long[VALUES].corr(method)
    case(f"corr {method}", "long", ["corr", VALUES, method], matrix, 1e-10)
wide = long.pivot_table(index="date", columns="ticker", values="b", aggfunc="sum").reset_index()
case("pivot", "long", ["pivot", {"index": "date", "columns": "ticker", "values": "b", "agg": "sum"}], wide, 1e-12)

# Merging.
left = long[long.ticker == "A"][["date", "a", "b"]].reset_index(drop=True)
right = long[long.ticker == "B"][["date", "a"]].rename(columns={"a": "c"}).reset_index(drop=True)
third = right.assign(date=right.date + pd.Timedelta(days=1), d=np.arange(len(right), dtype=float))[["date", "d"]]
table("left", left)
table("right", right)
table("third", third)
for how in ["outer", "inner", "left"]:
    merged = left.merge(right, on="date", how=how).merge(third, on="date", how=how)
    if how == "outer":
        merged = merged.sort_values("date")
    case(f"align {how}", "left", ["align", {"$frame": "right"}, {"$frame": "third"}, {"how": how}], merged)
both = left.merge(left.assign(b=1.0)[["date", "b"]], on="date", suffixes=("_1", "_2"))
table("ones", left.assign(b=1.0)[["date", "b"]])
case("align with names that meet", "left", ["align", {"$frame": "ones"}, {"how": "inner"}], both)
twice = pd.DataFrame({"k": ["x", "y", "x", "z"], "v": [1.0, 2.0, 3.0, 4.0]})
thrice = pd.DataFrame({"k": ["x", "z", "x", "w"], "w": [10.0, 20.0, 30.0, 40.0]})
table("twice", twice)
table("thrice", thrice)
for how in ["inner", "left", "outer"]:
    merged = twice.merge(thrice, on="k", how=how)
    merged = merged.sort_values(["k"], kind="stable") if how == "outer" else merged
    if how == "inner":
        merged = twice.reset_index().merge(thrice, on="k").sort_values("index", kind="stable").drop(columns="index")
    case(f"align of keys that repeat, {how}", "twice", ["align", {"$frame": "thrice"}, {"how": how, "on": "k"}], merged)

# As-of joins.
quotes = series_of("A", "2020-01-01", 40, 0, 9)
quotes = pd.concat([quotes, series_of("C", "1969-12-01", 30, 0, 40)], ignore_index=True)[["ticker", "date", "b"]].rename(columns={"b": "q"})
table("quotes", quotes)
trades = long.sort_values("date", kind="stable").reset_index(drop=True)
table("trades", trades)
sorted_quotes = quotes.sort_values("date", kind="stable")
for direction in ["backward", "forward", "nearest"]:
    for tolerance in [None, 3]:
        for exact in [True, False]:
            joined = pd.merge_asof(
                trades,
                sorted_quotes,
                on="date",
                by="ticker",
                direction=direction,
                tolerance=None if tolerance is None else pd.Timedelta(days=tolerance),
                allow_exact_matches=exact,
            )
            options = {"by": "ticker", "direction": direction, "exact": exact}
            if tolerance is not None:
                options["tolerance"] = tolerance
            case(f"asof {direction} {tolerance} {exact}", "trades", ["asof", {"$frame": "quotes"}, options], joined)

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pandas.jsonl")
with open(path, "w") as out:
    for line in lines:
        out.write(json.dumps(line, separators=(",", ":")) + "\n")
print(len(lines), "lines,", os.path.getsize(path), "bytes")
