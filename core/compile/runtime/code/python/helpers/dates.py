_EPOCH = datetime(1970, 1, 1)


def _offset(date):
    """Minutes east of UTC; None without an offset."""
    return None if date.tzinfo is None else date.utcoffset() // timedelta(minutes=1)


def _make_date(year, month, day):
    """A day at 00:00."""
    if year != int(year) or month != int(month) or day != int(day):
        raise ValueError("no such day")
    return datetime(*map(_year_or_day, (year, month, day)))


def _year_or_day(value):
    if not 0 <= value <= 9999:
        raise ValueError("no such day")
    return int(value)


def _civil(date):
    """Milliseconds of the civil time from 1970-01-01."""
    return (date.replace(tzinfo=None) - _EPOCH) // timedelta(milliseconds=1)


def _instant(date):
    """Milliseconds since the Unix epoch; without an offset the time counts as UTC."""
    return _civil(date) - (_offset(date) or 0) * 60_000


def _at_civil(milliseconds, tzinfo=None):
    if not -62_135_596_800_000 <= milliseconds < 253_402_300_800_000:
        raise ValueError("out of range")
    return (_EPOCH + timedelta(milliseconds=milliseconds)).replace(tzinfo=tzinfo)


def _zone(minutes):
    return timezone(timedelta(minutes=minutes))


def _at_offset(date, minutes):
    """The same instant at another offset."""
    return _at_civil(_instant(date) + minutes * 60_000, _zone(minutes))


def _from_unix(value, unit="seconds"):
    """The UTC date of a Unix time."""
    milliseconds = float(value) * 1000 if unit == "seconds" else value
    if not -62_135_596_800_000 <= milliseconds < 253_402_300_800_000:
        raise ValueError("out of range")
    return _at_civil(math.floor(milliseconds), _zone(0))


_UNIT_MS = {
    "weeks": 604_800_000,
    "days": 86_400_000,
    "hours": 3_600_000,
    "minutes": 60_000,
    "seconds": 1000,
    "milliseconds": 1,
}
_UNIT_MONTHS = {"years": 12, "quarters": 3, "months": 1}


def _month_days(year, month):
    return calendar.monthrange(year, month)[1]


def _add_time(date, amount, unit):
    """So much later; months and years keep the day where the month has it."""
    if unit not in _UNIT_MONTHS:
        milliseconds = float(amount) * _UNIT_MS[unit]
        if not math.isfinite(milliseconds):
            raise ValueError("out of range")
        whole = math.floor(milliseconds)
        return _at_civil(_civil(date) + whole + (milliseconds - whole >= 0.5), date.tzinfo)
    if amount != int(amount):
        raise ValueError("not a whole number")
    year, month = divmod(date.year * 12 + date.month - 1 + int(amount) * _UNIT_MONTHS[unit], 12)
    if not 1 <= year <= 9999:
        raise ValueError("out of range")
    return date.replace(year=year, month=month + 1, day=min(date.day, _month_days(year, month + 1)))


def _start_of(date, period):
    """The first millisecond of a period; weeks start on Monday."""
    if period == "second":
        return date.replace(microsecond=0)
    if period == "minute":
        return date.replace(second=0, microsecond=0)
    if period == "hour":
        return date.replace(minute=0, second=0, microsecond=0)
    day = date.replace(hour=0, minute=0, second=0, microsecond=0)
    if period == "day":
        return day
    if period == "week":
        return _at_civil(_civil(day) - day.weekday() * _UNIT_MS["days"], date.tzinfo)
    if period == "month":
        return day.replace(day=1)
    return day.replace(month=1 if period == "year" else date.month - (date.month - 1) % 3, day=1)


def _end_of(date, period):
    """The last millisecond of a period."""
    start = _start_of(date, period)
    if period not in ("year", "quarter", "month"):
        return _at_civil(_civil(start) + _UNIT_MS[period + "s"] - 1, date.tzinfo)
    month = {"year": 12, "quarter": start.month + 2, "month": start.month}[period]
    day = _month_days(start.year, month)
    return start.replace(month=month, day=day, hour=23, minute=59, second=59, microsecond=999_000)


def _both(left, right):
    """The milliseconds of two dates; where only one has an offset, both are taken at it."""
    offset = _offset(left) if left.tzinfo is not None else _offset(right)
    return [
        _civil(date) if date.tzinfo is None else _instant(date) + (offset or 0) * 60_000 for date in (left, right)
    ]


def _milliseconds_between(start, end):
    first, last = _both(start, end)
    return last - first


def _difference(start, end, unit):
    """Whole units from one date to another, towards zero."""
    first, last = _both(start, end)
    if unit not in _UNIT_MONTHS:
        return int(math.copysign(abs(last - first) // _UNIT_MS[unit], last - first))
    early, late = _at_civil(min(first, last)), _at_civil(max(first, last))
    months = (late.year - early.year) * 12 + late.month - early.month
    if (late.day, late.time()) < (early.day, early.time()):
        months -= 1
    whole = months // _UNIT_MONTHS[unit]
    return -whole if first > last else whole


def _date_part(date, part):
    """One component of a date."""
    if part == "offsetMinutes":
        if date.tzinfo is None:
            raise LookupError("the date has no offset")
        return _offset(date)
    return {
        "quarter": lambda: (date.month + 2) // 3,
        "millisecond": lambda: date.microsecond // 1000,
        "weekday": date.isoweekday,
        "dayOfYear": lambda: _day_of_year(date),
        "isoWeek": lambda: _iso_week(date)[1],
        "isoWeekYear": lambda: _iso_week(date)[0],
        "daysInMonth": lambda: _month_days(date.year, date.month),
        "unixSeconds": lambda: _instant(date) // 1000,
        "unixMilliseconds": lambda: _instant(date),
    }[part]()


def _day_of_year(date):
    return date.timetuple().tm_yday


def _iso_week(date):
    """The year and number of the week of ISO 8601."""
    thursday = date.toordinal() - date.isoweekday() + 4
    year = date.year
    if thursday < datetime(year, 1, 1).toordinal():
        year -= 1
    elif year < 9999 and thursday >= datetime(year + 1, 1, 1).toordinal():
        year += 1
    elif year == 9999 and thursday > datetime(9999, 12, 31).toordinal():
        year += 1
    # Day 1 is 0001-01-01; the year before it has 366 days in the proleptic calendar.
    first = datetime(year, 1, 1).toordinal() if 1 <= year <= 9999 else -365 if year == 0 else 3_652_060
    return year, (thursday - first) // 7 + 1


def _offset_text(date, colon=":", z=True):
    """The offset from UTC as it is written."""
    offset = _offset(date)
    if offset is None:
        raise LookupError("the date has no offset")
    if offset == 0 and z:
        return "Z"
    hours, minutes = divmod(abs(offset), 60)
    return f"{'-' if offset < 0 else '+'}{hours:02d}{colon}{minutes:02d}"


def _ordinal_suffix(day):
    return "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _nth_weekday(date, weekday, n):
    """The n-th weekday (1 Monday to 7 Sunday) of a month; a negative n counts from the last."""
    if weekday != int(weekday) or not 1 <= weekday <= 7 or n != int(n) or n == 0:
        raise ValueError("out of range")
    first = date.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    days = range(1 + (int(weekday) - first.isoweekday()) % 7, _month_days(date.year, date.month) + 1, 7)
    index = int(n) - 1 if n > 0 else len(days) + int(n)
    if not 0 <= index < len(days):
        raise ValueError("the month has none")
    return first.replace(day=days[index])


def _window(date, step, unit, offset, ahead):
    """The edge of the window of `step` units that holds the date."""
    if step != int(step) or step < 1 or step > 2**53 - 1 or offset != int(offset) or abs(offset) > 2**53 - 1:
        raise ValueError("out of range")
    step, offset = int(step), int(offset)
    if unit in _UNIT_MONTHS:
        size, moved = step * _UNIT_MONTHS[unit], offset * _UNIT_MONTHS[unit]
        month = ((date.year * 12 + date.month - 1 - moved) // size + ahead) * size + moved
        if not 12 <= month < 120_000:
            raise ValueError("out of range")
        return datetime(month // 12, month % 12 + 1, 1, tzinfo=date.tzinfo)
    size = step * _UNIT_MS[unit]
    moved = offset * _UNIT_MS[unit] + (345_600_000 if unit == "weeks" else 0)
    return _at_civil(((_civil(date) - moved) // size + ahead) * size + moved, date.tzinfo)


def _window_start(date, step, unit, offset=0):
    return _window(date, step, unit, offset, 0)


def _window_end(date, step, unit, offset=0):
    return _window(date, step, unit, offset, 1)


_MONTHS = "January February March April May June July August September October November December".split()
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


def _parse_date(text, *elements, pivot=69):
    """The date that the whole text is, by the letters and texts of a pattern."""
    at, fields, half, hour12, weekday = 0, {}, None, None, None

    def digits(least, most):
        nonlocal at
        found = re.compile(f"[0-9]{{{least},{most}}}").match(text, at)
        if found is None:
            raise ValueError(f"{text!r} is no date of this form")
        at = found.end()
        return int(found.group())

    def take(pattern):
        nonlocal at
        found = re.compile(pattern).match(text, at)
        if found is None:
            raise ValueError(f"{text!r} is no date of this form")
        at = found.end()
        return found

    def name(names, width):
        nonlocal at
        lower = _lower(text[at : at + 9])
        for number, one in enumerate(names, 1):
            wanted = one.lower()[:width]
            if lower.startswith(wanted):
                at += 4 if wanted == "sep" and lower.startswith("sept") else len(wanted)
                return number
        raise ValueError(f"{text!r} is no date of this form")

    for kind, value in elements:
        if kind == "text":
            take(re.escape(value))
        elif value == "yyyy":
            fields["year"] = digits(4, 4)
        elif value == "yy":
            year = digits(2, 2)
            fields["year"] = year + (2000 if year < pivot else 1900)
        elif value in ("MMMM", "MMM"):
            fields["month"] = name(_MONTHS, 3 if value == "MMM" else None)
        elif value in ("EEEE", "EEE"):
            weekday = name(_WEEKDAYS, 3 if value == "EEE" else None)
        elif value == "do":
            fields["day"] = digits(1, 2)
            if _lower(take("(?s:.{2})").group()) != _ordinal_suffix(fields["day"]):
                raise ValueError(f"{text!r} is no date of this form")
        elif value in ("hh", "h"):
            hour12 = digits(len(value), 2)
            if not 1 <= hour12 <= 12:
                raise ValueError(f"{text!r} is no date of this form")
        elif value in ("SSS", "SS", "S"):
            fields["microsecond"] = digits(len(value), len(value)) * 10 ** (6 - len(value))
        elif value in ("a", "aa", "aaaa"):
            half = take(r"([apAP])(?:[mM]|\.[mM]\.)").group(1).lower()
        elif value in ("XXX", "XX", "xxx"):
            found = take("Z" if text[at : at + 1] == "Z" and value != "xxx" else _OFFSETS[value])
            minutes = 0 if found.group() == "Z" else int(found[2]) * 60 + int(found[3])
            fields["tzinfo"] = _zone(-minutes if found.group()[0] == "-" else minutes)
        else:
            part = {"M": "month", "d": "day", "H": "hour", "m": "minute", "s": "second"}[value[0]]
            fields[part] = digits(len(value), 2)
    if at != len(text):
        raise ValueError(f"{text!r} is no date of this form")
    if hour12 is not None:
        fields["hour"] = hour12 % 12 + (12 if half == "p" else 0)
    date = datetime(**{"year": 1970, "month": 1, "day": 1, **fields})
    if weekday is not None and weekday != date.isoweekday():
        raise ValueError(f"{text!r} names another day of the week")
    return date


_OFFSETS = {
    "XXX": "([-+])([01][0-9]|2[0-3]):([0-5][0-9])",
    "XX": "([-+])([01][0-9]|2[0-3])([0-5][0-9])",
    "xxx": "([-+])([01][0-9]|2[0-3]):([0-5][0-9])",
}
