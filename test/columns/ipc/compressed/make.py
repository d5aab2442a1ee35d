# Makes the files of this folder: python3 -m venv venv && venv/bin/pip install pyarrow && venv/bin/python make.py
import datetime
import decimal

import pyarrow as pa
import pyarrow.ipc as ipc


def table(rows):
    words = pa.array([None if i % 13 == 5 else ["alpha", "beta", "gamma"][i % 3] for i in range(rows)])
    columns = {
        "n": pa.array([None if i % 7 == 3 else i * i * 7919 % 100_003 for i in range(rows)], pa.int64()),
        "x": pa.array([i / 8 for i in range(rows)], pa.float64()),
        "text": pa.array([None if i % 11 == 2 else f"row {i % 97} of many" for i in range(rows)]),
        "word": words.dictionary_encode(),
        "day": pa.array([datetime.date(2024, 1, 1) + datetime.timedelta(days=i % 400) for i in range(rows)], pa.date32()),
        "price": pa.array([decimal.Decimal(i * 31 % 9973).scaleb(-2) for i in range(rows)], pa.decimal128(12, 2)),
        "flag": pa.array([i % 3 == 0 for i in range(rows)]),
        "constant": pa.array([42] * rows, pa.int32()),
        "list": pa.array([None if i % 5 == 4 else list(range(i % 4)) for i in range(rows)], pa.list_(pa.int16())),
        "nothing": pa.nulls(rows),
    }
    return pa.table(columns)


def write(name, rows, batch_rows, codec, new):
    options = ipc.IpcWriteOptions(compression=codec)
    data = table(rows)
    with pa.OSFile(name, "wb") as sink, new(sink, data.schema, options=options) as writer:
        writer.write_table(data, max_chunksize=batch_rows)


for codec in ["lz4", "zstd", None]:
    write(f"small-{codec or 'none'}.arrows", 40, 40, codec, ipc.new_stream)
write("small-zstd.arrow", 40, 40, "zstd", ipc.new_file)
# A column whose buffer takes several blocks of 64 KB, which refer to the blocks before them.
blocks = pa.table({"n": pa.array([i // 100 for i in range(20_000)], pa.int64())})
with ipc.new_stream("blocks-lz4.arrows", blocks.schema, options=ipc.IpcWriteOptions(compression="lz4")) as writer:
    writer.write_table(blocks)
