"""Computes verbs in pandas on the tables of verbs.mjs: one table as JSON a line in, the columns of each verb a line out."""

import json
import math
import sys
import warnings

import pandas

warnings.simplefilter("ignore")


def plain(value):
    """A cell as JSON: what pandas counts as missing is null, infinities are text."""
    if value is None or value is pandas.NaT or value is pandas.NA:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, pandas.Timestamp):
        return value.strftime("%Y-%m-%d")
    number = float(value)
    if math.isnan(number):
        return None
    return str(number) if math.isinf(number) else number


def columns(frame):
    return {str(name): [plain(value) for value in frame[name]] for name in frame.columns}


def verbs(rows):
    frame = pandas.DataFrame(
        {
            "day": pandas.to_datetime(rows["day"]),
            "key": pandas.Series(rows["key"], dtype="object"),
            "n": pandas.Series(rows["n"], dtype="Int64"),
            "x": pandas.Series([None if v is None else float(v) for v in rows["x"]], dtype="float64"),
        }
    )
    groups = frame.groupby("key", sort=False, dropna=False)
    made = {
        "groupBy": groups.agg(
            rows=("n", "count"),
            total=("n", lambda values: values.sum(min_count=1)),
            mean=("x", "mean"),
            std=("x", "std"),
            low=("x", "min"),
            high=("x", "max"),
            first=("x", "first"),
            last=("x", "last"),
            distinct=("x", "nunique"),
        ).reset_index(),
        "sort": frame.sort_values(["x", "n"], ascending=[False, True], kind="stable", na_position="last"),
        "unique": frame.drop_duplicates("key"),
        "dropNulls": frame.dropna(),
        "shift": frame[["x"]].shift(1),
        "diff": frame[["n"]].diff().astype("float64"),
        "cummax": frame[["x"]].cummax(),
        "fill": frame[["x"]].ffill(),
        "median": frame[["x"]].rolling(4, min_periods=2).median(),
        "mean": frame[["x"]].rolling(3).mean(),
        "std": frame[["x"]].rolling(5, min_periods=3).std(),
        "ewm": frame.assign(x=frame["n"].astype("float64"))[["x"]].ewm(alpha=0.3).mean(),
        "left": frame[["key", "n"]].merge(
            frame.dropna(subset=["key"]).drop_duplicates("key")[["key", "x"]], on="key", how="left"
        ),
        "asof": pandas.merge_asof(
            frame[["day", "n"]], frame[["day", "x"]].iloc[::3], on="day", direction="backward"
        ),
        "monthly": frame.set_index("day")[["n"]].resample("ME").sum(min_count=1).dropna().reset_index(),
    }
    return {verb: columns(result) for verb, result in made.items()}


for line in sys.stdin:
    print(json.dumps(verbs(json.loads(line))), flush=True)
