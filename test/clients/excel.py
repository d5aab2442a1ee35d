"""Excel workbooks for excel.mjs: what openpyxl and pandas read from one of this package, and one that openpyxl writes.

Arguments: the workbook to read, the two to write (one for each date system). A line out is the cells by openpyxl, then by pandas.
"""

import json
import sys
from datetime import date, datetime

import openpyxl
import pandas
from openpyxl.utils.datetime import CALENDAR_MAC_1904

READ, WRITE, WRITE_1904 = sys.argv[1:]


def plain(cell):
    if cell is None or cell != cell:
        return None
    return cell.isoformat() if isinstance(cell, (datetime, date)) else cell


print(json.dumps([[plain(cell) for cell in row] for row in openpyxl.load_workbook(READ).active.iter_rows(values_only=True)]))
print(json.dumps([[plain(cell) for cell in row] for row in pandas.read_excel(READ, dtype=object).values.tolist()]))
for path in (WRITE, WRITE_1904):
    book = openpyxl.Workbook()
    if path == WRITE_1904:
        book.epoch = CALENDAR_MAC_1904
    sheet = book.active
    sheet.append(["day", "at", "n", "x", "t", "ok", "sum"])
    sheet.append([date(2024, 2, 29), datetime(2024, 2, 29, 9, 30, 0, 125000), 7, 0.1, "007", True, "=C2+1"])
    sheet.append([date(1904, 1, 2), datetime(9999, 12, 31, 23, 59, 59), -1.25, 1 / 3, "=text", False, None])
    sheet["E3"].data_type = "s"
    sheet.append([None] * 6 + [3])
    book.save(path)
