"""Evaluates calls of the official Python client: one JSON object { id, source } a line in, one result a line out."""

import ast
import datetime
import json
import math
import os
import sys
import tempfile
import warnings
import zipfile

import numpy
import pandas
import nasdaqdatalink as ndl

warnings.simplefilter("ignore")
ApiConfig = ndl.ApiConfig
ApiConfig.api_protocol = "http://"
ApiConfig.api_base = sys.argv[1] + "/api/v3"
ApiConfig.api_key = "sample"
ApiConfig.use_retries = False
ndl.Datatable.WAIT_GENERATION_INTERVAL = 0.2
folder = tempfile.mkdtemp(prefix="arrowbook-clients-")


def csv_of(path):
    """The rows of the CSV file in an archive."""
    with zipfile.ZipFile(path) as archive:
        (name,) = archive.namelist()
        with archive.open(name) as file:
            return pandas.read_csv(file, keep_default_na=False, na_values=[""], float_precision="round_trip")


def path(name):
    return os.path.join(folder, name)


def saved(call, name):
    """The rows of the archive that a call wrote to a file."""
    call(path(name))
    return csv_of(path(name))


def saved_in(call):
    """The name and rows of the archive that a call wrote to a folder."""
    place = tempfile.mkdtemp(dir=folder)
    call(place)
    (name,) = os.listdir(place)
    return csv_of(os.path.join(place, name))


def with_config(call, **changes):
    """The result of a call under other settings."""
    before = {name: getattr(ApiConfig, name) for name in changes}
    for name, value in changes.items():
        setattr(ApiConfig, name, value)
    try:
        return call()
    finally:
        for name, value in before.items():
            setattr(ApiConfig, name, value)


def plain(value):
    if isinstance(value, pandas.DataFrame):
        named = value.reset_index() if isinstance(value.index, pandas.DatetimeIndex) else value
        rows = [[plain(cell) for cell in row] for row in named.itertuples(index=False, name=None)]
        return {"columns": [str(name) for name in named.columns], "rows": rows}
    if isinstance(value, numpy.recarray):
        names = list(value.dtype.names)
        rows = [[plain(cell) for cell in row] for row in value.tolist()]
        for at, name in enumerate(names):
            if str(value.dtype[name]).startswith("datetime64"):
                for row, cell in zip(rows, value[name]):
                    row[at] = str(cell)[:10]
        if names and names[0] == "index":
            names, rows = names[1:], [row[1:] for row in rows]
        return {"columns": names, "rows": rows}
    if value is None or value is pandas.NaT or isinstance(value, (bool, str)):
        return None if value is pandas.NaT else value
    if isinstance(value, (pandas.Timestamp, datetime.datetime)):
        return value.isoformat()[:10] if value.hour == value.minute == value.second == 0 else value.isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (int, numpy.integer)):
        return int(value)
    if isinstance(value, (float, numpy.floating)):
        return None if math.isnan(value) else float(value)
    if isinstance(value, dict):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return str(value)


def result_of(source):
    """The value of the last expression or assignment."""
    *before, last = ast.parse(source).body
    exec(compile(ast.Module(before, []), "<call>", "exec"), globals())
    return eval(compile(ast.Expression(last.value), "<call>", "eval"), globals())


for line in sys.stdin:
    call = json.loads(line)
    try:
        answer = {"value": plain(result_of(call["source"]))}
    except BaseException as error:
        code = getattr(error, "data_link_error_code", None)
        status = getattr(error, "http_status", None)
        answer = {"error": type(error).__name__, "message": str(error)[:300], "code": code, "status": status}
    print(json.dumps({"id": call["id"], **answer}), flush=True)
