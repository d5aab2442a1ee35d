"""Random tables for verbs.mjs, and what pandas and polars make of them.

A line in is a seed; a line out is the folder with `table.arrow`, the results as `LIBRARY.VERB.arrow`, and what was drawn.
"""

import json
import os
import sys
import tempfile
import warnings
from datetime import date, timedelta
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

import numpy
import pandas
import polars
import pyarrow
from polars import col

warnings.simplefilter("ignore")

EPOCH = date(1970, 1, 1)
KEYS = ["a", "b", "", "é", "𝒳", "\uffee"]
DOUBLES = [0.0, 1.0, -1.0, 0.1, 1.5, -2.25, 285.25, 99.99, 1e3, -1e3]
ENDLESS = [float("inf"), float("-inf"), float("nan")]


# ---- tables


def drawn(seed):
    """The columns of a table as lists, and the numbers that its verbs take."""
    random = numpy.random.default_rng(seed)
    is_long = seed % 40 == 0
    rows = 66_000 + int(random.integers(3_000)) if is_long else 1 + int(random.integers(60))
    gap = int(random.choice([3, 6, 1_000]))

    def cells(cell):
        return [None if random.integers(gap) == 0 else cell() for _ in range(rows)]

    def pick(values):
        return values[int(random.integers(len(values)))]

    steps = random.integers(1, 2 if is_long else 10, rows)
    unit = pick(["s", "ms", "us", "ns"])
    columns = {
        "row": list(range(rows)),
        "day": [EPOCH + timedelta(days=int(day)) for day in 19_000 + numpy.cumsum(steps)],
        "at": cells(lambda: numpy.datetime64(1_702_080_000, "s") + numpy.timedelta64(int(random.integers(9)), unit)),
        "key": cells(lambda: pick(KEYS)),
        "word": cells(lambda: f"w{int(random.integers(30))}"),
        "n": cells(lambda: int(random.integers(-1_000, 1_000))),
        "d": cells(lambda: Decimal(int(random.integers(-(10**7), 10**7))).scaleb(-4)),
        "x": cells(lambda: pick(DOUBLES + ENDLESS)),
        "y": cells(lambda: pick(DOUBLES)),
        "b": cells(lambda: bool(random.integers(2))),
    }
    size = 1 + int(random.integers(6))
    params = {
        "unit": unit,
        "isLong": is_long,
        "size": size,
        "least": 1 + int(random.integers(size)),
        "steps": pick([1, 2, 3, -1]),
        "q": pick([0.0, 0.25, 0.37, 0.5, 0.9, 1.0]),
        "alpha": pick([0.1, 0.3, 0.9]),
        "days": 1 + int(random.integers(20)),
        "from": int(random.integers(rows)),
        "places": [int(place) for place in random.integers(0, rows, min(rows, 500))],
        "cuts": sorted(int(cut) for cut in random.integers(0, rows + 1, int(random.integers(4)))),
    }
    return columns, params


def write_table(columns, params, path):
    """Batches cut at random, each with a dictionary of its own."""
    types = {
        "row": pyarrow.int64(),
        "day": pyarrow.date32(),
        "at": pyarrow.timestamp(params["unit"]),
        "key": pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
        "word": pyarrow.string(),
        "n": pyarrow.int64(),
        "d": pyarrow.decimal128(18, 4),
        "x": pyarrow.float64(),
        "y": pyarrow.float64(),
        "b": pyarrow.bool_(),
    }
    schema = pyarrow.schema(types.items())
    bounds = [0, *params["cuts"], len(columns["row"])]
    with pyarrow.OSFile(path, "wb") as file, pyarrow.ipc.new_stream(file, schema) as writer:
        for begin, end in zip(bounds, bounds[1:]):
            arrays = []
            for name, type_ in types.items():
                cells = columns[name][begin:end]
                plain = pyarrow.string() if name == "key" else type_
                array = pyarrow.array(cells, plain)
                arrays.append(array.dictionary_encode() if name == "key" else array)
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


def pandas_frame(columns, params):
    made = {
        "day": pandas.Series(pandas.to_datetime(columns["day"])).astype("datetime64[s]"),
        "at": pandas.Series(numpy.array([cell or "NaT" for cell in columns["at"]], f"datetime64[{params['unit']}]")),
        "key": pandas.Series(columns["key"], dtype="object"),
        "word": pandas.Series(columns["word"], dtype="object"),
        "n": pandas.Series(columns["n"], dtype="Int64"),
        "d": pandas.Series(columns["d"], dtype="object"),
        "x": pandas.Series(columns["x"], dtype="float64"),
        "y": pandas.Series(columns["y"], dtype="float64"),
        "b": pandas.Series(columns["b"], dtype="boolean"),
    }
    return pandas.DataFrame({"row": pandas.Series(columns["row"], dtype="int64"), **made})


# ---- pandas


def plain(cell):
    """A cell as pyarrow takes it: what pandas counts as missing is null, midnights of `day` are dates."""
    if isinstance(cell, (str, bool, Decimal)):
        return cell
    if cell is None or cell is pandas.NaT or cell is pandas.NA or cell != cell:
        return None
    return cell.item() if isinstance(cell, numpy.generic) else cell


def pandas_arrow(frame):
    arrays = {}
    for name in frame.columns:
        column = frame[name]
        if str(column.dtype).startswith("datetime64"):
            array = pyarrow.array(column)
            arrays[str(name)] = array.cast(pyarrow.date32()) if str(name).startswith("day") else array
        else:
            arrays[str(name)] = pyarrow.array([plain(cell) for cell in column.tolist()])
    return pyarrow.table(arrays)


def each(of, *columns):
    """A list column from the cells of others; null where one of them is."""
    rows = zip(*(column.tolist() for column in columns))
    return pandas.Series([None if any(plain(c) is None for c in row) else of(*row) for row in rows], dtype="object")


def exact(of):
    """An aggregate of the decimals of a group; null for none."""
    return lambda values: of(list(values.dropna())) if values.notna().any() else None


def aggregated(groups):
    return groups.agg(
        n_count=("n", "count"),
        n_sum=("n", lambda values: values.sum(min_count=1)),
        d_sum=("d", exact(sum)),
        d_min=("d", exact(min)),
        d_max=("d", exact(max)),
        y_mean=("y", "mean"),
        y_std=("y", "std"),
        y_var=("y", "var"),
        y_median=("y", "median"),
        y_first=("y", "first"),
        y_last=("y", "last"),
        y_nunique=("y", "nunique"),
        day_min=("day", "min"),
        day_max=("day", "max"),
        word_min=("word", exact(min)),
        word_max=("word", exact(max)),
    ).reset_index()


def joined(t, how, on):
    """Null equals nothing in SQL, but itself in pandas: each null becomes a key of its own."""
    left, right = t[["row", *on]].copy(), t.iloc[::2][["row", *on]].rename(columns={"row": "mate"})
    if how == "cross":
        return left[["row"]].merge(right[["mate"]], how="cross")
    for side, name in ((left, "row"), (right, "mate")):
        missing = side[on].isna().any(axis=1)
        side["own"] = [f"{name}{row}" if lacks else "" for row, lacks in zip(side[name], missing)]
    right = right[[*on, "own", "mate"]]
    if how in ("semi", "anti"):
        pairs = left.merge(right, on=[*on, "own"], how="inner")
        return t[t["row"].isin(pairs["row"]) == (how == "semi")][["row", *on]]
    found = left.merge(right, on=[*on, "own"], how=how)
    return in_order(found.assign(row=found["row"].astype("Int64"), mate=found["mate"].astype("Int64")))[
        ["row", *on, "mate"]
    ]


def in_order(found):
    return found.sort_values(["row", "mate"], na_position="last", kind="stable")


def period_end(day, frequency):
    if frequency == "weekly":
        return day + pandas.to_timedelta((6 - day.dt.weekday) % 7, unit="D")
    letter = {"monthly": "M", "quarterly": "Q", "annual": "Y"}[frequency]
    return day.dt.to_period(letter).dt.end_time.dt.normalize().astype("datetime64[s]")


def collapsed(frequency):
    return lambda t, p: (
        t.assign(day=period_end(t["day"], frequency))
        .groupby("day")
        .agg(n=("n", lambda values: values.sum(min_count=1)), y=("y", "mean"), d=("d", "last"), x=("y", "first"))
        .reset_index()
    )


def window(word):
    return lambda t, p: t[["y"]].rolling(p["size"], min_periods=p["least"]).agg(word)


def both(t):
    """The rows with both numbers: pandas has 0 for a weighted deviation of one value with nulls after it."""
    return t[["y", "n"]].dropna().astype("float64")


def pair_window(word):
    def computed(t, p):
        pair = t[["y", "n"]].astype("float64").where(t["n"].notna() & t["y"].notna())
        window = pair["y"].rolling(p["size"] + 1, min_periods=max(2, p["least"]))
        if word != "beta":
            return undefined_of(pair, p, getattr(window, word)(pair["n"]), word)
        of_n = pair["n"].rolling(p["size"] + 1, min_periods=max(2, p["least"])).var()
        return undefined_of(pair, p, window.cov(pair["n"]) / of_n, word)

    return computed


def undefined_of(pair, p, found, word):
    """Null where a window is constant: there pandas divides rounding errors."""
    held = lambda name: pair[name].rolling(p["size"] + 1, min_periods=1).apply(lambda w: w.dropna().nunique() < 2)
    if word != "cov":
        found = found.mask(held("n") == 1)
    return pandas.DataFrame({"y": found.mask(held("y") == 1) if word == "corr" else found})


def vwap(t, p):
    weights = t["n"].astype("float64").abs().where(t["y"].notna())
    value = t["y"].where(weights.notna())
    rows = lambda s: s.rolling(p["size"], min_periods=p["least"]).apply(numpy.nansum, raw=True)
    total = rows(weights)
    return pandas.DataFrame({"y": (rows(value * weights) / total).where(total != 0)})


def price(t):
    return t["y"].abs() + 1


def along(of):
    """A number of each row, made by key in the order of days."""
    return lambda t, p: pandas.DataFrame({"y": t.groupby("key", dropna=False)["y"].transform(lambda y: of(y, p))})


def asof(**options):
    def computed(t, p):
        given = {name: p["days"] if value == "days" else value for name, value in options.items()}
        if "tolerance" in given:
            given["tolerance"] = pandas.Timedelta(given["tolerance"], "D")
        return pandas.merge_asof(t[["day", "n"]], t[["day", "y"]].iloc[1::3], on="day", **given)

    return computed


def asof_by(t, p):
    known = t.dropna(subset=["key"])
    return pandas.merge_asof(known[["day", "key", "n"]], known[["day", "key", "y"]].iloc[::3], on="day", by="key")


def whole(t):
    """The rows with a number, for transforms of the service."""
    return t.dropna(subset=["y"])[["day", "y"]]


def changed(of):
    return lambda t, p: whole(t).assign(y=of(whole(t)["y"]))


def described(t, p):
    y = t["y"]
    figures = {"count": y.count(), "mean": y.mean(), "std": y.std(), "min": y.min(), "max": y.max()}
    return pandas.DataFrame({name: [value] for name, value in figures.items()})


CENT = Decimal("0.01")

PANDAS = {
    "filter": lambda t, p: t[t["n"] > 0],
    "filter by text": lambda t, p: t[t["word"].str.startswith("w1") == True],  # noqa: E712
    "sort": lambda t, p: t.sort_values(["x", "n"], ascending=[False, True], kind="stable", na_position="last"),
    "sort by text": lambda t, p: t.sort_values(
        ["key", "d"], ascending=[True, False], kind="stable", na_position="last"
    ),
    "sort by time": lambda t, p: t.sort_values("at", ascending=False, kind="stable", na_position="last"),
    "take": lambda t, p: t.iloc[p["places"]],
    "head": lambda t, p: t.head(p["size"]),
    "tail": lambda t, p: t.tail(p["size"]),
    "slice": lambda t, p: t.iloc[p["from"] : -1],
    "concat": lambda t, p: pandas.concat([t, t.iloc[p["from"] :], t]),
    "unique": lambda t, p: t.drop_duplicates("key"),
    "unique of two": lambda t, p: t.drop_duplicates(["word", "b"]),
    "unique decimals": lambda t, p: t.drop_duplicates("d")[["d"]],
    "dropNulls": lambda t, p: t.dropna(),
    "dropNulls of two": lambda t, p: t.dropna(subset=["n", "key"]),
    "valueCounts": lambda t, p: t.groupby("key", sort=False, dropna=False)
    .size()
    .reset_index(name="count")
    .sort_values("count", ascending=False, kind="stable"),
    "groupBy": lambda t, p: aggregated(t.groupby("key", sort=False, dropna=False)),
    "groupBy days": lambda t, p: aggregated(t.groupby("at", sort=False, dropna=False)).drop(columns=["at"]),
    "groupBy two": lambda t, p: t.groupby(["word", "b"], sort=False, dropna=False)
    .agg(n=("n", lambda values: values.sum(min_count=1)), y=("y", "max"))
    .reset_index(),
    "groupBy head": lambda t, p: t.groupby("key", sort=False, dropna=False).head(2),
    **{f"join {how}": lambda t, p, how=how: joined(t, how, ["key"]) for how in ("inner", "left", "right", "outer")},
    **{f"join {how}": lambda t, p, how=how: joined(t, how, ["key", "b"]) for how in ("semi", "anti")},
    "join of two": lambda t, p: joined(t, "inner", ["word", "n"]),
    "join cross": lambda t, p: joined(t, "cross", []),
    "asof": asof(direction="backward"),
    "asof forward": asof(direction="forward"),
    "asof nearest": asof(direction="nearest"),
    "asof within days": asof(tolerance="days"),
    "asof not the same": asof(allow_exact_matches=False),
    "asof by key": asof_by,
    "pivot": lambda t, p: t.dropna(subset=["key", "b"])
    .groupby(["key", "b"])["n"]
    .agg(lambda values: values.sum(min_count=1))
    .unstack("b")
    .rename(columns=lambda name: str(name).lower())
    .reset_index(),
    "unpivot": lambda t, p: t[["day", "n", "row"]].melt("day", var_name="name", value_name="value"),
    "quantile": lambda t, p: pandas.DataFrame({"q": [t["y"].quantile(p["q"])]}),
    "corr": lambda t, p: pandas.DataFrame({"r": [t["y"].corr(t["row"].astype("float64"))]}),
    "corr of ranks": lambda t, p: pandas.DataFrame(
        {"r": [t["y"].where(t["n"].notna()).rank().corr(t["n"].astype("float64").where(t["y"].notna()).rank())]}
    ),
    "describe": described,
    "shift": lambda t, p: t[["d", "x", "word", "day", "b"]].shift(p["steps"]).rename(columns={"day": "day2"}),
    "shift by key": along(lambda y, p: y.shift(1)),
    "diff": lambda t, p: pandas.DataFrame({"d": each(lambda a, b: a - b, t["d"], t["d"].shift(p["steps"]))}),
    "diff of numbers": lambda t, p: t[["n"]].diff(2).astype("float64"),
    "pctChange": lambda t, p: pandas.DataFrame({"p": price(t).pct_change(1, fill_method=None)}),
    "returns": lambda t, p: pandas.DataFrame({"p": price(t).pct_change(1, fill_method=None)}),
    "returns of logarithms": lambda t, p: pandas.DataFrame({"p": numpy.log(price(t) / price(t).shift())}),
    "cumsum": lambda t, p: t[["y"]].cumsum(),
    "cumprod": lambda t, p: pandas.DataFrame({"y": (1 + t["y"] / 1e5).cumprod()}),
    "cummax": lambda t, p: t[["x"]].cummax(),
    "cummin by key": along(lambda y, p: y.cummin()),
    "drawdown": lambda t, p: pandas.DataFrame({"p": price(t) / price(t).cummax() - 1}),
    "fill forward": lambda t, p: t[["x", "word", "d"]].ffill(limit=p["size"]),
    "fill backward": lambda t, p: t[["x", "word", "d"]].bfill(),
    "fill by key": along(lambda y, p: y.ffill()),
    "fill with a number": lambda t, p: t[["y"]].fillna(4.5),
    "ewm": lambda t, p: t[["y"]].ewm(alpha=p["alpha"]).mean(),
    "ewm not adjusted": lambda t, p: whole(t).assign(y=lambda w: w["y"].ewm(span=p["size"], adjust=False).mean()),
    "ewm without nulls": lambda t, p: t[["y"]].ewm(halflife=p["size"], ignore_na=True).mean(),
    "ewm std": lambda t, p: t[["y"]].ewm(com=p["size"]).std(),
    **{f"rolling {word}": window(word) for word in ("mean", "sum", "min", "max", "std", "var", "median")},
    **{f"rolling {word}": pair_window(word) for word in ("cov", "corr", "beta")},
    "rolling cov of days": lambda t, p: pandas.DataFrame({
        "y": t.set_index("day")["y"].rolling(f"{p['days']}D", min_periods=2).cov(t.set_index("day")["n"].astype("float64"))
    }),
    "rolling vwap": vwap,
    "rolling wma": lambda t, p: whole(t).assign(
        y=lambda w: w["y"].rolling(p["size"]).apply(lambda v: numpy.average(v, weights=range(1, len(v) + 1)), raw=True)
    ),
    "ewm cov": lambda t, p: pandas.DataFrame({"y": both(t)["y"].ewm(alpha=p["alpha"]).cov(both(t)["n"])}),
    "ewm corr": lambda t, p: pandas.DataFrame({"y": both(t)["y"].ewm(com=p["size"]).corr(both(t)["n"])}),
    "rolling count": lambda t, p: t[["y"]].rolling(p["size"], min_periods=0).count(),
    "rolling days": lambda t, p: t.set_index("day")[["y"]].rolling(f"{p['days']}D").mean(),
    "rolling max of days": lambda t, p: t.set_index("day")[["y"]].rolling(f"{p['days']}D").max(),
    "rolling by key": along(lambda y, p: y.rolling(p["size"], min_periods=p["least"]).mean()),
    **{f"collapse {name}": collapsed(name) for name in ("weekly", "monthly", "quarterly", "annual")},
    "resample": lambda t, p: t.set_index("day")[["y"]].resample("ME").sum(min_count=1).reset_index(),
    "resample to days": lambda t, p: t.set_index("day")[["y"]].resample("D").last().ffill().reset_index(),
    "transform diff": lambda t, p: changed(lambda y: y.diff())(t, p).iloc[1:],
    "transform cumul": changed(lambda y: y.cumsum()),
    "transform rdiff": lambda t, p: whole(t[t["y"] > 0]).assign(y=lambda w: w["y"].pct_change()).iloc[1:],
    "transform normalize": lambda t, p: whole(t[t["y"] > 0]).assign(y=lambda w: w["y"] / w["y"].iloc[:1].sum() * 100),
    "columns: arithmetic": lambda t, p: pandas.DataFrame(
        {
            "add": t["n"] + t["row"],
            "sub": each(lambda a, b: a - b, t["d"], t["n"]),
            "mul": each(lambda a, b: a * b, t["d"], t["n"]),
            "div": t["y"] / (t["row"] + 1),
            "neg": each(lambda a: -a, t["d"]),
            "abs": each(abs, t["d"]),
            "round": each(lambda a: a.quantize(CENT, ROUND_HALF_EVEN), t["d"]),
            "floor": each(lambda a: a.to_integral_value(ROUND_FLOOR), t["d"]),
        }
    ),
    "columns: comparisons": lambda t, p: pandas.DataFrame(
        {
            "eq": t["n"] == t["row"],
            "ne": t["n"] != 5,
            "lt": each(lambda a, b: a < b, t["d"], t["n"]),
            "le": each(lambda a, b: a <= b, t["key"], t["word"]),
            "gt": t["n"] > t["row"],
            "ge": each(lambda a, b: a >= b, t["d"], t["n"]),
            "between": each(lambda a: -300 <= a <= 400, t["n"]),
            "isIn": each(lambda a: a in ("a", "é", "none"), t["key"]),
        }
    ),
    "columns: logic": lambda t, p: pandas.DataFrame(
        {"and": t["b"] & (t["n"] > 0), "or": t["b"] | (t["n"] > 0), "not": ~t["b"], "isNull": t["word"].isna()}
    ),
    "columns: text and dates": lambda t, p: pandas.DataFrame(
        {
            "fillNull": t["word"].fillna("none"),
            "contains": each(lambda a: "1" in a, t["word"]),
            "startsWith": each(lambda a: a.startswith("w1"), t["word"]),
            "year": t["day"].dt.year,
            "month": t["day"].dt.month,
            "weekday": t["day"].dt.isocalendar().day,
            "cast": each(lambda a: str(a), t["n"]),
        }
    ),
    "columns: figures": lambda t, p: pandas.DataFrame(
        {
            "mean": [t["y"].mean()],
            "sum": [exact(sum)(t["d"])],
            "min": [exact(min)(t["d"])],
            "max": [exact(max)(t["key"])],
            "std": [t["y"].std()],
            "nunique": [t["key"].nunique()],
        }
    ),
}


# ---- polars


def some(of, name):
    """An aggregate that is null where there is no value, as in SQL."""
    return polars.when(col(name).count() > 0).then(of(col(name)))


def polars_aggregated(t, *keys):
    return t.group_by(*keys, maintain_order=True).agg(
        col("n").count().alias("n_count"),
        some(lambda n: n.sum(), "n").alias("n_sum"),
        some(lambda d: d.sum(), "d").alias("d_sum"),
        col("d").min().alias("d_min"),
        col("d").max().alias("d_max"),
        col("y").mean().alias("y_mean"),
        col("y").std().alias("y_std"),
        col("y").var().alias("y_var"),
        col("y").median().alias("y_median"),
        col("y").drop_nulls().first().alias("y_first"),
        col("y").drop_nulls().last().alias("y_last"),
        col("y").drop_nulls().n_unique().alias("y_nunique"),
        col("day").min().alias("day_min"),
        col("day").max().alias("day_max"),
        col("word").min().alias("word_min"),
        col("word").max().alias("word_max"),
    )


def polars_joined(how, on):
    def computed(t, p):
        left, right = t.select("row", *on), t.gather_every(2).select(*on, mate="row")
        kind = "full" if how == "outer" else how
        if how in ("semi", "anti"):
            return left.join(right, on=on, how=kind, maintain_order="left")
        found = left.join(right, on=on, how=kind, coalesce=True)
        return found.select("row", *on, "mate").sort("row", "mate", nulls_last=True)

    return computed


def polars_end(frequency):
    if frequency == "weekly":
        return col("day") + polars.duration(days=(7 - col("day").dt.weekday()) % 7)
    every = {"monthly": "1mo", "quarterly": "1q", "annual": "1y"}[frequency]
    return col("day").dt.truncate(every).dt.offset_by(every).dt.offset_by("-1d")


def polars_collapsed(frequency):
    return lambda t, p: (
        t.with_columns(day=polars_end(frequency))
        .group_by("day", maintain_order=True)
        .agg(
            n=some(lambda n: n.sum(), "n"),
            y=col("y").mean(),
            d=col("d").drop_nulls().last(),
            x=col("y").drop_nulls().first(),
        )
    )


def polars_window(word):
    return lambda t, p: t.select(
        getattr(col("y"), f"rolling_{word}")(window_size=p["size"], min_samples=p["least"])
    )


def polars_asof(**options):
    def computed(t, p):
        given = dict(options)
        if given.pop("within", False):
            given["tolerance"] = f"{p['days']}d"
        left, right = t.select("day", "n"), t.slice(1).gather_every(3).select("day", "y")
        return left.join_asof(right, on="day", coalesce=True, **given)

    return computed


def polars_pivot(t, p):
    found = (
        t.drop_nulls(["key", "b"])
        .group_by("key", "b")
        .agg(n=some(lambda n: n.sum(), "n"))
        .with_columns(b=col("b").cast(polars.String))
        .pivot("b", index="key", values="n")
        .sort("key")
    )
    return found.select("key", *sorted(name for name in found.columns if name != "key"))


PRICE = (col("y").abs() + 1).alias("p")
KNOWN = col("y").drop_nulls()

POLARS = {
    "filter": lambda t, p: t.filter(col("n") > 0),
    "filter by text": lambda t, p: t.filter(col("word").str.starts_with("w1")),
    "sort": lambda t, p: t.sort("x", "n", descending=[True, False], nulls_last=True, maintain_order=True),
    "sort by text": lambda t, p: t.sort("key", "d", descending=[False, True], nulls_last=True, maintain_order=True),
    "sort by time": lambda t, p: t.sort("at", descending=True, nulls_last=True, maintain_order=True),
    "take": lambda t, p: t[p["places"]],
    "head": lambda t, p: t.head(p["size"]),
    "tail": lambda t, p: t.tail(p["size"]),
    "slice": lambda t, p: t.slice(p["from"], max(0, t.height - 1 - p["from"])),
    "concat": lambda t, p: polars.concat([t, t.slice(p["from"]), t]),
    "unique": lambda t, p: t.unique("key", keep="first", maintain_order=True),
    "unique of two": lambda t, p: t.unique(["word", "b"], keep="first", maintain_order=True),
    "unique decimals": lambda t, p: t.select("d").unique(keep="first", maintain_order=True),
    "dropNulls": lambda t, p: t.drop_nulls(),
    "dropNulls of two": lambda t, p: t.drop_nulls(["n", "key"]),
    "valueCounts": lambda t, p: t.group_by("key", maintain_order=True)
    .agg(count=polars.len())
    .sort("count", descending=True, maintain_order=True),
    "groupBy": lambda t, p: polars_aggregated(t, "key"),
    "groupBy days": lambda t, p: polars_aggregated(t, "at").drop("at"),
    "groupBy two": lambda t, p: t.group_by("word", "b", maintain_order=True).agg(
        n=some(lambda n: n.sum(), "n"), y=col("y").max()
    ),
    "groupBy head": lambda t, p: t.filter(polars.int_range(polars.len()).over("key") < 2),
    **{f"join {how}": polars_joined(how, ["key"]) for how in ("inner", "left", "right", "outer")},
    **{f"join {how}": polars_joined(how, ["key", "b"]) for how in ("semi", "anti")},
    "join of two": polars_joined("inner", ["word", "n"]),
    "join cross": lambda t, p: t.select("row").join(t.gather_every(2).select(mate="row"), how="cross"),
    "asof": polars_asof(strategy="backward"),
    "asof forward": polars_asof(strategy="forward"),
    "asof within days": polars_asof(within=True),
    "asof not the same": polars_asof(allow_exact_matches=False),
    "asof by key": lambda t, p: t.drop_nulls("key")
    .select("day", "key", "n")
    .join_asof(
        t.drop_nulls("key").gather_every(3).select("day", "key", "y"),
        on="day",
        by="key",
        check_sortedness=False,
    ),
    "pivot": polars_pivot,
    "unpivot": lambda t, p: t.select("day", "n", "row").unpivot(
        index="day", variable_name="name", value_name="value"
    ),
    "quantile": lambda t, p: t.select(q=col("y").quantile(p["q"], "linear")),
    "corr": lambda t, p: t.drop_nulls("y").select(r=polars.corr("y", "row")),
    "corr of ranks": lambda t, p: t.drop_nulls(["y", "n"]).select(r=polars.corr("y", "n", method="spearman")),
    "describe": lambda t, p: t.select(
        count=col("y").count(), mean=col("y").mean(), std=col("y").std(), min=col("y").min(), max=col("y").max()
    ),
    "shift": lambda t, p: t.select("d", "x", "word", "day", "b").select(polars.all().shift(p["steps"])).rename(
        {"day": "day2"}
    ),
    "shift by key": lambda t, p: t.select(col("y").shift(1).over("key")),
    "diff": lambda t, p: t.select(col("d") - col("d").shift(p["steps"])),
    "diff of numbers": lambda t, p: t.select(col("n").diff(2)),
    "pctChange": lambda t, p: t.select(PRICE).select(col("p") / col("p").shift() - 1),
    "returns of logarithms": lambda t, p: t.select(PRICE).select((col("p") / col("p").shift()).log()),
    "cumsum": lambda t, p: t.select(col("y").cum_sum()),
    "cumprod": lambda t, p: t.select(y=(1 + col("y") / 1e5).cum_prod()),
    "cummax": lambda t, p: t.select(col("x").cum_max()),
    "cummin by key": lambda t, p: t.select(col("y").cum_min().over("key")),
    "drawdown": lambda t, p: t.select(PRICE).select(col("p") / col("p").cum_max() - 1),
    "fill forward": lambda t, p: t.select(col("x", "word", "d").forward_fill(limit=p["size"])),
    "fill backward": lambda t, p: t.select(col("x", "word", "d").backward_fill()),
    "fill by key": lambda t, p: t.select(col("y").forward_fill().over("key")),
    "fill with a number": lambda t, p: t.select(col("y").fill_null(4.5)),
    "ewm": lambda t, p: t.select(
        col("y").ewm_mean(alpha=p["alpha"], ignore_nulls=False, min_samples=1).forward_fill()
    ),
    # pandas 3.1 gives a value after a null another weight.
    "ewm not adjusted over nulls": lambda t, p: t.select(
        col("y").ewm_mean(span=p["size"], adjust=False, ignore_nulls=False, min_samples=1).forward_fill()
    ),
    "ewm without nulls": lambda t, p: t.select(
        col("y").ewm_mean(half_life=p["size"], ignore_nulls=True, min_samples=1).forward_fill()
    ),
    **{f"rolling {word}": polars_window(word) for word in ("mean", "sum", "min", "max", "std", "var", "median")},
    "rolling days": lambda t, p: t.select(col("y").rolling_mean_by("day", f"{p['days']}d", min_samples=1)),
    "rolling max of days": lambda t, p: t.select(col("y").rolling_max_by("day", f"{p['days']}d", min_samples=1)),
    "rolling by key": lambda t, p: t.select(
        col("y").rolling_mean(window_size=p["size"], min_samples=p["least"]).over("key")
    ),
    **{f"collapse {name}": polars_collapsed(name) for name in ("weekly", "monthly", "quarterly", "annual")},
    "transform diff": lambda t, p: t.drop_nulls("y").select("day", col("y").diff()).slice(1),
    "transform cumul": lambda t, p: t.drop_nulls("y").select("day", col("y").cum_sum()),
    "transform rdiff": lambda t, p: t.filter(col("y") > 0).select("day", col("y") / col("y").shift() - 1).slice(1),
    "transform normalize": lambda t, p: t.filter(col("y") > 0).select("day", col("y") / col("y").first() * 100),
    "columns: comparisons": lambda t, p: t.select(
        eq=col("n") == col("row"),
        ne=col("n") != 5,
        lt=col("d") < col("n").cast(polars.Decimal(18, 4)),
        le=col("key") <= col("word"),
        gt=col("n") > col("row"),
        ge=col("d") >= col("n").cast(polars.Decimal(18, 4)),
        between=col("n").is_between(-300, 400),
        isIn=col("key").is_in(["a", "é", "none"]),
    ),
    "columns: logic": lambda t, p: t.select(
        **{"and": col("b") & (col("n") > 0), "or": col("b") | (col("n") > 0)},
        **{"not": ~col("b"), "isNull": col("word").is_null()},
    ),
    "columns: text and dates": lambda t, p: t.select(
        fillNull=col("word").fill_null("none"),
        contains=col("word").str.contains("1", literal=True),
        startsWith=col("word").str.starts_with("w1"),
        year=col("day").dt.year(),
        month=col("day").dt.month(),
        weekday=col("day").dt.weekday(),
        cast=col("n").cast(polars.String),
    ),
    "columns: figures": lambda t, p: t.select(
        mean=col("y").mean(),
        sum=some(lambda d: d.sum(), "d"),
        min=col("d").min(),
        max=col("key").max(),
        std=col("y").std(),
        nunique=col("key").drop_nulls().n_unique(),
    ),
}

# Each pair of rows, or each day of centuries.
SHORT_ONLY = {"join cross", "join inner", "join left", "join right", "join outer", "join of two"}


def write(table, path):
    with pyarrow.OSFile(path, "wb") as file, pyarrow.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


def computed(seed, folder):
    columns, params = drawn(seed)
    write_table(columns, params, os.path.join(folder, "table.arrow"))
    with pyarrow.ipc.open_stream(os.path.join(folder, "table.arrow")) as reader:
        arrow = reader.read_all()
    theirs = polars.from_arrow(arrow).with_columns(col("key").cast(polars.String), col("x").fill_nan(None))
    frame = pandas_frame(columns, params)
    made = []
    for library, verbs, table in (("pandas", PANDAS, frame), ("polars", POLARS, theirs)):
        for verb, of in verbs.items():
            if params["isLong"] and verb in SHORT_ONLY:
                continue
            name = f"{library}.{verb}"
            try:
                found = of(table, params)
            except Exception as error:
                raise RuntimeError(f"{name}, seed {seed}") from error
            result = pandas_arrow(found) if library == "pandas" else found.to_arrow(compat_level=polars.CompatLevel.oldest())
            write(result, os.path.join(folder, f"{name}.arrow"))
            made.append([library, verb])
    return {"params": params, "made": made}


for line in sys.stdin:
    with tempfile.TemporaryDirectory() as made_here:
        print(json.dumps({"folder": made_here, **computed(int(line), made_here)}), flush=True)
        sys.stdin.readline()
