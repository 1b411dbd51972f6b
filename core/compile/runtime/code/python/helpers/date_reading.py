_DATE_FLAGS = {"thai", "dotted", "short", "buddhist", "marked_year"}


def _read_date(text, order=None, orders=None, pivot=69, locales=None, calendar=None, needs=()):
    """The date or time that the whole text is; every reading of the text must give the same one."""
    if _length(text) > 100:
        raise ValueError("too long for a date")
    folded = re.sub(r"(?:(?<=[+-]\d\d\d\d)|(?<=[+-]\d\d:\d\d)) \([^()]*\)\Z", "", _fold_date(text).strip(" "), flags=re.ASCII)
    reader = _DateReader(_date_tokens(folded, _date_words(locales)), order, orders, pivot, calendar)
    readings, steps = {}, 0

    def go_on(at, fields):
        nonlocal steps
        steps += 1
        if steps > 2000 or len(readings) > 1:
            raise ValueError(f"{text!r} has several readings as a date")
        if at >= len(reader.tokens):
            found = _date_of(reader, fields)
            if found is not None:
                readings.setdefault((found, _offset(found)), _named_parts(fields))
            return
        for following, more in _items_at(reader, at):
            if not any(name in fields and name not in _DATE_FLAGS for name in more):
                go_on(following, {**fields, **more})

    if reader.tokens:
        go_on(0, {})
    if len(readings) != 1:
        raise ValueError(f"{text!r} has no single reading as a date")
    [((date, _), named)] = readings.items()
    if not all(part in named for part in needs):
        raise ValueError(f"{text!r} lacks a part of a date")
    return date


def _items_at(reader, at):
    """Parts of a date that tokens can be read as, and the token behind them."""
    kind = reader.tokens[at][0]
    if kind == "mark":
        return [(at + 1, {})]
    if kind == "number":
        before = reader.number(at - 2)
        compact = _compact_time(reader, at) if before and len(before[0]) == 8 else []
        return _day_items(reader, at) + _time_items(reader, at) + compact
    items = []
    for meaning in reader.meanings(at):
        kind = meaning[0]
        if kind == "month":
            items += _month_items(reader, at, _name_fields("month", meaning))
        elif kind == "weekday":
            items.append((at + 1, _name_fields("weekday", meaning)))
        elif kind == "half":
            items += _time_items(reader, at)
        elif kind == "word":
            is_last_half = reader.meaning(at, "half") and reader.after_words(at) >= len(reader.tokens)
            items += [] if is_last_half else [(at + 1, {})]
        elif kind == "T":
            items += _time_items(reader, at + 1) + _compact_time(reader, at + 1)
        elif kind in ("week", "quarter"):
            items += _counted(reader, at, kind)
        elif kind == "buddhist":
            items.append((at + 1, {"buddhist": True}))
    return items


def _counted(reader, at, kind):
    """The number behind the sign of a week or a quarter."""
    place = reader.after_space(at + 1) if kind == "week" else at + 1
    number = reader.number(place)
    if number is None:
        return []
    digits = number[0]
    if kind == "quarter":
        return [(place + 1, {"quarter": int(digits)})] if digits in ("1", "2", "3", "4") else []
    if len(digits) == 3:
        fits = 1 <= int(digits[2]) <= 7
        return [(place + 1, {"week": int(digits[:2]), "weekday": int(digits[2])})] if fits else []
    if len(digits) > 2:
        return []
    day = reader.number(place + 2) if reader.tight(place + 1, "-") else None
    if day and len(day[0]) == 1 and 1 <= int(day[0]) <= 7:
        return [(place + 3, {"week": int(digits), "weekday": int(day[0])})]
    return [(place + 1, {"week": int(digits)})]


def _date_of(reader, fields):
    """The earliest date from 1970 on that has all parts; None when there is none."""
    has_year = "year" in fields
    if has_year and fields.get("thai") and fields.get("short") and reader.calendar is None:
        return None
    if has_year:
        is_buddhist = fields.get("buddhist", reader.calendar == "buddhist")
        if is_buddhist or (fields.get("thai") and fields["year"] > 2400 and reader.calendar is None):
            fields = {**fields, "year": fields["year"] - 543}
    part = fields.get
    parts = [name for name in ("week", "quarter", "day_of_year", "marked_year") if name in fields]
    is_day = "month" in fields or (has_year and bool(parts)) or "weekday" in fields
    counted = "week" in fields or "quarter" in fields
    if (
        ("day" in fields and "month" not in fields)
        or (has_year and not is_day)
        or (counted and (not has_year or "month" in fields))
        or ("week" in fields and "quarter" in fields)
        or ("offset" in fields and not is_day)
        or ("hour" not in fields and (not is_day or "afternoon" in fields))
        or (part("dotted") and not is_day and "afternoon" not in fields)
    ):
        return None
    hour, day = _hour_of(part("hour", 0), part("afternoon")), _day_of(fields)
    if hour is None or day is None:
        return None
    try:
        zone = None if part("offset") is None else _zone(part("offset"))
        time = (hour, part("minute", 0), part("second", 0), part("millisecond", 0) * 1000)
        return datetime(day.year, day.month, day.day, *time, tzinfo=zone)
    except ValueError:
        return None


def _hour_of(hour, afternoon):
    if afternoon is None or hour > 12:
        return hour if hour <= 23 and afternoon is not False else None
    return hour % 12 + (12 if afternoon else 0)


def _day_of(fields):
    year, week = fields.get("year"), fields.get("week")
    if year is not None and not 1 <= year <= 9999:
        return None
    if week is not None:
        return _day_of_week(year, week, fields.get("weekday", 1))
    years = range(1970, 2010) if year is None else [year]
    return next((day for day in (_day_in_year(one, fields) for one in years) if day is not None), None)


def _day_of_week(year, week, weekday):
    def first_monday(of):
        fourth = datetime(of, 1, 4).toordinal() if of <= 9999 else 3_652_063
        return fourth - (fourth - 1) % 7

    monday = first_monday(year) + (week - 1) * 7
    return _day_at(monday + weekday - 1) if week >= 1 and monday < first_monday(year + 1) else None


def _day_at(ordinal):
    return datetime.fromordinal(ordinal) if 1 <= ordinal <= 3_652_059 else None


def _on_weekday(first, count, weekday):
    """The first of some days that is on the weekday."""
    if weekday is None or _day_at(first) is None:
        return _day_at(first)
    ahead = (weekday - _day_at(first).isoweekday()) % 7
    return _day_at(first + ahead) if ahead < count else None


def _day_in_year(year, fields):
    weekday = fields.get("weekday")
    first = datetime(year, 1, 1).toordinal()
    if "day_of_year" in fields:
        number = fields["day_of_year"]
        fits = 1 <= number <= 337 + _days_of_month(year, 2)
        return _on_weekday(first + number - 1, 1, weekday) if fits else None
    month = fields["quarter"] * 3 - 2 if "quarter" in fields else fields.get("month", 1)
    if not 1 <= month <= 12:
        return None
    start = datetime(year, month, 1).toordinal()
    if "day" not in fields:
        return _on_weekday(start, _days_of_month(year, month), weekday)
    if not 1 <= fields["day"] <= _days_of_month(year, month):
        return None
    return _on_weekday(start + fields["day"] - 1, 1, weekday)


def _named_parts(fields):
    """The parts of a date that the text names itself."""
    return {
        name
        for name, parts in {
            "year": ["year"],
            "month": ["month", "day_of_year", "quarter", "week"],
            "day": ["day", "day_of_year"],
            "time": ["hour"],
        }.items()
        if any(part in fields for part in parts) or (name == "day" and "week" in fields and "weekday" in fields)
    }
