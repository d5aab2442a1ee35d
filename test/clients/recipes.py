"""The Python blocks of docs/recipes.md, on the files that its other blocks have written, and whether the results agree.

Arguments: the folder and the page. A line out is the name of a result and what differs, or null.
"""

import json
import os
import re
import sys
from decimal import Decimal
from glob import glob

import exchange_calendars as xcals
import numpy as np
import pandas as pd

FOLDER, PAGE = sys.argv[1:]
os.chdir(FOLDER)


def table(value):
    """A result as a table of strings and doubles, without the index that pandas numbers by itself."""
    if isinstance(value, pd.DatetimeIndex):
        value = value.to_frame(name="date", index=False)
    if isinstance(value, pd.Series):
        value = value.to_frame()
    if not isinstance(value.index, pd.RangeIndex) and value.index.names != [None]:
        value = value.reset_index()
    return pd.DataFrame({i: plain(value.iloc[:, i]) for i in range(value.shape[1])})


def plain(column):
    if pd.api.types.is_datetime64_any_dtype(column):
        text = column.dt.tz_localize(None).dt.strftime("%Y-%m-%dT%H:%M:%S.%f")
        return text.str.removesuffix("T00:00:00.000000").astype(object).where(column.notna(), "")
    if pd.api.types.is_numeric_dtype(column) and column.dtype != bool:
        return column.astype("float64")
    # The name that pandas gives to the total.
    known = column[column != "All"].dropna()
    if len(known) > 0 and known.map(lambda cell: isinstance(cell, (int, float, Decimal))).all():
        return column.map(lambda cell: np.nan if pd.isna(cell) or cell == "All" else float(cell)).astype("float64")
    return column.map(lambda cell: "" if pd.isna(cell) else str(cell)).astype(object)


def difference(ours, theirs):
    ours, theirs = table(ours), table(theirs)
    if ours.shape != theirs.shape:
        return f"{ours.shape} where {theirs.shape}"
    keys = [i for i in theirs if theirs[i].dtype == object] or list(theirs)
    ours, theirs = (each.sort_values(keys).reset_index(drop=True) for each in (ours, theirs))
    for i in theirs:
        if ours[i].dtype != theirs[i].dtype:
            return f"column {i}: {ours[i].dtype} where {theirs[i].dtype}"
        is_double = theirs[i].dtype != object
        same = np.isclose(ours[i], theirs[i], rtol=1e-9, atol=1e-12, equal_nan=True) if is_double else ours[i] == theirs[i]
        if not same.all():
            row = int(np.argmin(same))
            return f"column {i}, row {row}: {ours[i][row]!r} where {theirs[i][row]!r}"
    return None


names = {"pd": pd, "np": np, "xcals": xcals, "os": os, "glob": glob}
for block in re.findall(r"```python\n(.*?)```", open(PAGE, encoding="utf-8").read(), re.S):
    # Drawing needs packages that no result depends on.
    exec("\n".join(line for line in block.splitlines() if not line.startswith("sns.")), names)
for path in sorted(glob("*.ours.parquet")):
    name = path.removesuffix(".ours.parquet")
    why = "no such name in Python" if name not in names else difference(pd.read_parquet(path), names[name])
    print(json.dumps([name, why]), flush=True)
