"""Trading days of exchanges from exchange_calendars (Apache-2.0), as facts.

`calendars.py pack` writes src/platform/sessions.bin, which the package reads, and test/series/calendars.txt, with
which `npm test` compares it: an exchange a line, with the sessions, early closes and a digest of each year. `calendars.py days` prints every session, as test:clients compares them.

sessions.bin is deflated text, an exchange a line, of fields between tabs: code; time zone; first and last day; the days
of the week that have sessions, from Monday; the other days without one; the other days with one; runs of sessions with
the same close, as sessions:minutes, with a trailing * for early closes. Days count from 1970-01-01, those of lists from
the day before them; numbers have base 36.
"""

import hashlib
import json
import os
import sys
import zlib
from itertools import groupby

import exchange_calendars
import pandas

FIRST, LAST = pandas.Timestamp("1990-01-01"), pandas.Timestamp("2027-12-31")
# Not exchanges; and those whose calendars of the pinned version fail.
LEFT_OUT = {"24/5", "24/7", "us_futures", "ASEX", "XBEL", "XBSE", "XCYS", "XTAE"}
ROOT = os.path.join(os.path.dirname(__file__), "../..")
EPOCH = pandas.Timestamp("1970-01-01")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def based(number):
    """A whole number of base 36."""
    return DIGITS[number] if number < 36 else based(number // 36) + DIGITS[number % 36]


def day_of(timestamp):
    return (timestamp - EPOCH).days


def date_of(day):
    return (EPOCH + pandas.Timedelta(day, "D")).strftime("%Y-%m-%d")


def calendars():
    """Of each exchange its code, time zone, first and last day, and sessions: day, minutes of the close, early."""
    for code in exchange_calendars.get_calendar_names(include_aliases=False):
        if code in LEFT_OUT:
            continue
        factory = exchange_calendars.calendar_utils.global_calendar_dispatcher._calendar_factories[code]
        first = max(FIRST, factory.bound_min() or FIRST)
        last = min(LAST, factory.bound_max() or LAST)
        calendar = exchange_calendars.get_calendar(code, start=first, end=last)
        closes = calendar.closes.dt.tz_convert(calendar.tz)
        early = set(calendar.early_closes)
        sessions = [
            (day_of(session), close.hour * 60 + close.minute, session in early) for session, close in closes.items()
        ]
        yield code, str(calendar.tz), day_of(first), day_of(last), calendar.weekmask, sessions


def steps(days):
    return " ".join(based(day - before) for day, before in zip(days, [0, *days]))


def packed(code, zone, first, last, mask, sessions):
    days = {day for day, _, _ in sessions}
    # 1970-01-01 was a Thursday.
    usual = {day for day in range(first, last + 1) if mask[(day + 3) % 7] == "1"}
    runs = [(len(list(run)), kind) for kind, run in groupby(sessions, lambda session: session[1:])]
    closes = " ".join(f"{based(count)}:{based(minutes)}{'*' if early else ''}" for count, (minutes, early) in runs)
    fields = [code, zone, based(first), based(last), mask, steps(sorted(usual - days)), steps(sorted(days - usual)), closes]
    return "\t".join(fields)


def line_of(day, minutes, early):
    return f"{date_of(day)} {minutes // 60:02}:{minutes % 60:02}{' early' if early else ''}"


def facts(sessions):
    """Of each year: how many sessions, how many early closes, and a digest of all of them."""
    for year, of_year in groupby(sessions, lambda session: date_of(session[0])[:4]):
        of_year = list(of_year)
        digest = hashlib.sha256("\n".join(line_of(*session) for session in of_year).encode()).hexdigest()[:8]
        yield f"{year} {len(of_year)} {sum(early for _, _, early in of_year)} {digest}"


def pack():
    all_of_them = list(calendars())
    text = "\n".join(packed(*calendar) for calendar in all_of_them)
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    with open(os.path.join(ROOT, "src/platform/sessions.bin"), "wb") as file:
        file.write(deflater.compress(text.encode()) + deflater.flush())
    with open(os.path.join(ROOT, "test/series/calendars.txt"), "w") as file:
        file.write(f"exchange_calendars {exchange_calendars.__version__}\n")
        for code, zone, first, last, _, sessions in all_of_them:
            file.write("\t".join([code, zone, date_of(first), date_of(last), *facts(sessions)]) + "\n")


def print_days():
    for code, _, _, _, _, sessions in calendars():
        print(json.dumps({"code": code, "sessions": [line_of(*session) for session in sessions]}))


if __name__ == "__main__":
    {"pack": pack, "days": print_days}[sys.argv[1]]()
