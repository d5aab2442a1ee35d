"""Parquet files for parquet.mjs by pyarrow, and what pyarrow reads from those of this package.

A line in is `{"write": seed}`, `{"read": path, "columns": names}` or `{"replace": path without its ending}`; a line out has paths and cells
as text.
"""

import json
import os
import struct
import sys
import tempfile
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import numpy
import pyarrow
import pyarrow.feather
import pyarrow.parquet
from pyarrow import types

UNITS = ["s", "ms", "us", "ns"]
ZONES = [None, "UTC", "Europe/Berlin", "+05:30"]
CODECS = ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]
ENCODINGS = {
    "integer": ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
    "double": ["PLAIN", "BYTE_STREAM_SPLIT"],
    "text": ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
    "fixed": ["PLAIN", "BYTE_STREAM_SPLIT", "DELTA_BYTE_ARRAY"],
    "boolean": ["PLAIN", "RLE"],
}
WORDS = ["", "a", "ab", "abc", "é", "𝒳", "word " * 20, "\u0000"]

folder = tempfile.mkdtemp()


# ---- cells as text


def text(scalar):
    """A value by its digits or bits, a time with its unit; ``None`` for a null."""
    if not scalar.is_valid:
        return None
    kind = scalar.type
    if types.is_dictionary(kind):
        return text(scalar.dictionary[scalar.index.as_py()])
    if types.is_timestamp(kind):
        return f"{scalar.value}{kind.unit}{'' if kind.tz is None else 'Z'}"
    if types.is_time(kind):
        return f"{scalar.value}{kind.unit}"
    if types.is_date(kind):
        return f"{scalar.value}d"
    if types.is_decimal(kind):
        return format(scalar.as_py(), "f")
    if types.is_floating(kind):
        return struct.pack(">d", float(scalar.as_py())).hex()
    if types.is_boolean(kind):
        return str(scalar.as_py()).lower()
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return scalar.as_py().hex()
    if types.is_map(kind):
        return [[text(entry["key"]), text(entry["value"])] for entry in scalar.values]
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return [text(value) for value in scalar.values]
    if types.is_struct(kind):
        return [text(value) for value in scalar.values()]
    return str(scalar.as_py())


def cells(table):
    return {name: [text(value) for value in table.column(name)] for name in table.column_names}


# ---- random tables


class Drawn:
    """A random table and how it is written."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.rows = 70_000 if seed % 30 == 0 else self.below(300)
        self.version = self.pick(["1.0", "2.4", "2.6", "2.6"])
        self.gap = self.pick([2, 5, 1_000_000])
        self.repeats = self.below(2) == 1
        few = self.below(2) == 1
        makers = [*self.makers().items()]
        self.encodings = {}
        arrays = {}
        for name, (encoding, kind, cell) in makers:
            if (few or self.rows > 1_000) and self.below(4) > 0:
                continue
            arrays[name] = pyarrow.array(self.column(cell), kind)
            if encoding is not None:
                self.encodings[name] = self.pick(ENCODINGS[encoding])
        self.table = pyarrow.table(arrays or {"n": pyarrow.array([1, None])})
        if not arrays:
            self.encodings = {}

    def below(self, most):
        return int(self.random.integers(most))

    def pick(self, values):
        return values[self.below(len(values))]

    def column(self, cell):
        known = [cell() for _ in range(5)]
        draw = (lambda: self.pick(known)) if self.repeats else cell
        return [None if self.below(self.gap) == 0 else draw() for _ in range(self.rows)]

    def integer(self, bits, signed=True):
        least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        size = self.below(bits)
        value = int.from_bytes(self.random.bytes(8), "little") >> (64 - size) if size else 0
        edges = [least, most, value, -value if signed else value]
        return max(least, min(most, self.pick(edges)))

    def decimal(self, precision, scale):
        digits = 1 + self.below(precision)
        value = int("".join(str(self.below(10)) for _ in range(digits)))
        return Decimal(self.pick([value, -value])).scaleb(-scale)

    def moment(self):
        value = self.pick([0, -1, 1_700_000_000_123_456_789, self.integer(60)])
        # Older versions of the format have no nanoseconds.
        return value if self.version == "2.6" else value // 1_000 * 1_000

    def makers(self):
        """For each column which encodings it may have, its type, and what makes a cell."""
        word = lambda: self.pick(WORDS) + str(self.below(100))  # noqa: E731
        raw = lambda: self.random.bytes(self.below(20))  # noqa: E731
        found = {
            "f16": (None, pyarrow.float16(), lambda: numpy.float16(self.random.normal())),
            "f32": ("double", pyarrow.float32(), lambda: float(numpy.float32(self.random.normal()))),
            "f64": ("double", pyarrow.float64(), lambda: self.pick([0.0, -0.0, 1e300, float("inf"), self.random.normal()])),
            "bool": ("boolean", pyarrow.bool_(), lambda: self.below(2) == 1),
            "text": ("text", pyarrow.string(), word),
            "large text": ("text", pyarrow.large_string(), word),
            "category": (None, pyarrow.dictionary(pyarrow.int32(), pyarrow.string()), word),
            "bytes": ("text", pyarrow.binary(), raw),
            "fixed": ("fixed", pyarrow.binary(5), lambda: self.random.bytes(5)),
            "date32": ("integer", pyarrow.date32(), lambda: date(1970, 1, 1) + timedelta(days=self.below(40_000) - 20_000)),
            "date64": (None, pyarrow.date64(), lambda: date(1970, 1, 1) + timedelta(days=self.below(40_000))),
            "time ms": (None, pyarrow.time32("ms"), lambda: time(self.below(24), 5, 6, 7_000)),
            "time us": (None, pyarrow.time64("us"), lambda: time(self.below(24), 5, 6, 7)),
            "time ns": (None, pyarrow.time64("ns"), lambda: time(self.below(24), 5, 6, 7)),
            "duration": (None, pyarrow.duration("us"), lambda: timedelta(seconds=self.below(1_000) - 500)),
            "null": (None, pyarrow.null(), lambda: None),
            "list": (None, pyarrow.list_(pyarrow.int32()), lambda: [self.pick([None, 1, -7]) for _ in range(self.below(4))]),
            "list of lists": (
                None,
                pyarrow.list_(pyarrow.list_(pyarrow.string())),
                lambda: [self.pick([None, [], ["x", None], ["y"]]) for _ in range(self.below(4))],
            ),
            "struct": (
                None,
                pyarrow.struct([("a", pyarrow.int64()), ("b", pyarrow.list_(pyarrow.decimal128(9, 2)))]),
                lambda: {"a": self.pick([None, 5]), "b": self.pick([None, [], [Decimal("1.25"), None]])},
            ),
            "map": (
                None,
                pyarrow.map_(pyarrow.string(), pyarrow.timestamp("us", "UTC")),
                lambda: [(f"k{i}", self.pick([None, datetime(2024, 2, 29)])) for i in range(self.below(3))],
            ),
        }
        for bits in [8, 16, 32, 64]:
            for signed in [True, False]:
                kind = getattr(pyarrow, f"{'' if signed else 'u'}int{bits}")()
                found[str(kind)] = ("integer", kind, lambda bits=bits, signed=signed: self.integer(bits, signed))
        for unit in UNITS:
            zone = self.pick(ZONES)
            shrink = 1000 ** (3 - UNITS.index(unit))
            found[f"at {unit}"] = ("integer", pyarrow.timestamp(unit, zone), lambda by=shrink: self.moment() // by)
        for precision in [1, 9, 10, 18, 19, 38, 39, 76]:
            scale = self.below(precision + 1)
            make = pyarrow.decimal128 if precision <= 38 else pyarrow.decimal256
            cell = lambda p=precision, s=scale: self.decimal(p, s)  # noqa: E731
            found[f"decimal {precision}"] = (None, make(precision, scale), cell)
        return found

    def write(self, path, store_schema):
        dictionary = self.repeats and self.below(2) == 1
        options = {
            "compression": self.pick(CODECS),
            "data_page_version": self.pick(["1.0", "2.0"]),
            "version": self.version,
            "use_deprecated_int96_timestamps": self.below(4) == 0,
            "store_decimal_as_integer": self.below(2) == 1,
            "write_page_checksum": self.below(2) == 1,
            "write_page_index": self.below(2) == 1,
            "use_compliant_nested_type": self.below(2) == 1,
            "row_group_size": self.pick([7, 100, 1_000, 100_000]) if self.rows < 1_000 else 30_000,
            "data_page_size": self.pick([64, 1_000, 1_048_576]) if self.rows < 1_000 else 100_000,
        }
        is_int96 = options["use_deprecated_int96_timestamps"]
        encodings = {
            name: encoding
            for name, encoding in self.encodings.items()
            if not (is_int96 and name.startswith("at ")) and not (encoding == "RLE" and self.version == "1.0")
        }
        encoded = {"use_dictionary": True} if dictionary else {"use_dictionary": False, "column_encoding": encodings}
        pyarrow.parquet.write_table(self.table, path, **options, **encoded, store_schema=False)
        # Without the schema of Arrow beside it, a file has the types of Parquet.
        plain = pyarrow.parquet.read_table(path)
        if store_schema:
            pyarrow.parquet.write_table(self.table, path, **options, **encoded)
        return plain, {**options, **encoded}


def write(seed):
    drawn = Drawn(seed)
    path = os.path.join(folder, "written.parquet")
    table, options = drawn.write(path, drawn.below(2) == 1)
    is_int96 = options["use_deprecated_int96_timestamps"]
    return {"path": path, "cells": cells(table), "isInt96": is_int96, "options": str(options)}


def read(path, columns):
    return {"cells": cells(pyarrow.parquet.read_table(path, columns=columns))}


def read_stream(path):
    with pyarrow.ipc.open_stream(path) as reader:
        return reader.read_all()


def replace(path):
    """Each column of a Parquet and an Arrow file as other types, under the metadata of the file."""
    formats = {
        ".parquet": (pyarrow.parquet.read_table, pyarrow.parquet.write_table),
        ".arrow": (read_stream, pyarrow.feather.write_feather),
    }
    replacements = [
        (pyarrow.float64(), [1.5, None]),
        (pyarrow.string(), ["7", None]),
        (pyarrow.decimal128(30, 1), [Decimal("2.5"), None]),
    ]
    found = []
    for ending, (read_file, write_file) in formats.items():
        table = read_file(path + ending)
        for kind, values in replacements:
            for i, field in enumerate(table.schema):
                changed = table.set_column(i, field.with_type(kind), pyarrow.array(values, kind))
                changed_path = os.path.join(folder, f"replaced-{kind}-{i}{ending}")
                write_file(changed, changed_path)
                found.append({"path": changed_path, "column": i, "type": str(kind), "cells": cells(changed)})
    return found


for line in sys.stdin:
    request = json.loads(line)
    if "write" in request:
        answer = write(request["write"])
    elif "read" in request:
        answer = read(request["read"], request["columns"])
    else:
        answer = replace(request["replace"])
    print(json.dumps(answer), flush=True)
