class _DateReader:
    """The tokens of a text, and how it is read."""

    def __init__(self, tokens, order, orders, pivot, calendar):
        self.tokens, self.order, self.orders = tokens, order, orders or {}
        self.pivot, self.calendar = pivot, calendar

    def _at(self, at, kind):
        token = self.tokens[at] if 0 <= at < len(self.tokens) else ("",)
        return token if token[0] == kind else None

    def number(self, at):
        """Digits and whether an apostrophe marks them as a year."""
        token = self._at(at, "number")
        return token and token[1:]

    def mark(self, at):
        """A separator without its spaces."""
        token = self._at(at, "mark")
        return token and token[1]

    def spaced_after(self, at):
        return self._at(at, "mark")[2].endswith(" ")

    def tight(self, at, text):
        """True for exactly this separator without spaces."""
        token = self._at(at, "mark")
        return token is not None and token[1] == token[2] == text

    def meanings(self, at):
        token = self._at(at, "name")
        return token[1] if token else []

    def meaning(self, at, kind):
        """The first meaning of a kind: (kind, value, locales)."""
        return next((meaning for meaning in self.meanings(at) if meaning[0] == kind), None)

    def after_space(self, at):
        return at + 1 if self.mark(at) == "" else at

    def after_dot(self, at):
        return at + 1 if self.mark(at) in ("", ".") else at

    def after_words(self, at):
        while self.mark(at) is not None or (self.meaning(at, "word") and not self.meaning(at, "month")):
            at += 1
        return at

    def year(self, digits):
        """A year of two or four digits."""
        if len(digits) == 4:
            return int(digits)
        if len(digits) != 2:
            return None
        if self.calendar == "buddhist":
            return int(digits) + 2500
        return int(digits) + (2000 if int(digits) < self.pivot else 1900)

    def is_day(self, year, month, day):
        year = year - 543 if self.calendar == "buddhist" else year
        return 1 <= month <= 12 and 1 <= day <= _days_of_month(year, month)

    def named_order(self, mark):
        return self.orders.get(mark[:1], self.order), mark[:1] in self.orders

    def year_fields(self, digits):
        year = self.year(digits)
        return None if year is None else {"year": year, **({"short": True} if len(digits) == 2 else {})}


def _days_of_month(year, month):
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]


def _certain_year(number):
    digits, is_year = number
    return is_year or len(digits) > 2 or int(digits) > 31


def _day_number(number):
    return number is not None and not _certain_year(number) and int(number[0]) >= 1


def _in_order(reader, numbers, order):
    parts = dict(zip(order, numbers))
    year = reader.year(parts["y"][0])
    if year is None or _certain_year(parts["m"]) or _certain_year(parts["d"]):
        return []
    month, day = int(parts["m"][0]), int(parts["d"][0])
    return [{"year": year, "month": month, "day": day}] if reader.is_day(year, month, day) else []


def _three_numbers(reader, numbers, mark):
    """The days that three numbers can be."""
    possible = ["dmy", "mdy", "ymd", "ydm"]
    if _certain_year(numbers[0]):
        possible = ["ymd", "ydm"]
    elif _certain_year(numbers[2]):
        possible = ["dmy", "mdy"]
    order, is_named = reader.named_order(mark)
    preferred = order if order in possible else "ymd" if possible[0] == "ymd" else None
    first = _in_order(reader, numbers, preferred) if preferred else []
    if first or (is_named and preferred == order):
        return first
    tried = [one for one in possible if one != "ydm" or order == "ydm"]
    return [day for one in tried for day in _in_order(reader, numbers, one)]


def _two_numbers(reader, first, last, mark):
    """The day and month that two numbers can be."""

    def read(day, month):
        day, month = int(day[0]), int(month[0])
        fits = 1 <= month <= 12 and 1 <= day <= _days_of_month(2000, month)
        return [{"month": month, "day": day}] if fits else []

    order, is_named = reader.named_order(mark)
    day_first, month_first = read(first, last), read(last, first)
    if order is None:
        return day_first + month_first
    preferred, other = (day_first, month_first) if order in ("dmy", "ydm") else (month_first, day_first)
    return preferred if preferred or is_named else other


def _compact_day(reader, digits):
    """The day of six or eight digits."""
    order = reader.orders.get("", "ymd")
    widths = {"y": len(digits) - 4, "m": 2, "d": 2}
    parts, at = {}, 0
    for letter in order:
        parts[letter] = digits[at : at + widths[letter]]
        at += widths[letter]
    year, month, day = reader.year(parts["y"]), int(parts["m"]), int(parts["d"])
    if year is None or not reader.is_day(year, month, day):
        return []
    return [{"year": year, "month": month, "day": day}]


def _after_day(reader, at):
    return at + 2 if reader.meaning(at + 1, "ordinal") else at + 1


def _with_year(reader, following, fields):
    at = reader.after_words(following)
    number = reader.number(at)
    year = reader.year_fields(number[0]) if number and not reader.tight(at + 1, ":") else None
    return [(following, fields)] + ([(at + 1, {**fields, **year})] if year else [])


def _name_fields(kind, meaning):
    return {kind: meaning[1], **({"thai": True} if meaning[2] == {"th"} else {})}


def _month_items(reader, at, month):
    place = reader.after_words(at + 1)
    number = reader.number(place)
    items = [(at + 1, month)]
    if number is None:
        return items
    if _day_number(number) and not reader.tight(place + 1, ":"):
        items += _with_year(reader, _after_day(reader, place), {**month, "day": int(number[0])})
    elif _certain_year(number) and (year := reader.year_fields(number[0])):
        items.append((place + 1, {**month, **year}))
    return items


def _number_before_month(reader, at, number):
    place = reader.after_words(_after_day(reader, at) if _day_number(number) else at + 1)
    items = []
    for meaning in reader.meanings(place):
        if meaning[0] != "month":
            continue
        month = _name_fields("month", meaning)
        if _day_number(number):
            items += _with_year(reader, place + 1, {**month, "day": int(number[0])})
        elif year := reader.year_fields(number[0]):
            day_at = reader.after_words(place + 1)
            day = reader.number(day_at)
            items.append((place + 1, {**month, **year}))
            if _day_number(day) and not reader.tight(day_at + 1, ":"):
                items.append((_after_day(reader, day_at), {**month, **year, "day": int(day[0])}))
    return items


def _marked_number(reader, at, digits):
    unit = reader.meaning(at + 1, "unit")
    unit = unit and unit[1]
    if unit == "year":
        year = reader.year_fields(digits)
        return [(at + 2, {**year, "marked_year": True})] if year else []
    return [(at + 2, {unit: int(digits)})] if unit in ("month", "day") and len(digits) <= 2 else []


def _joined(reader, at, step):
    mark = reader.mark(at + step) or ""
    return mark[:1] in ("-", "/", ".") and mark != "" and reader.number(at + 2 * step) is not None


def _separated_numbers(reader, at, first):
    separator, second = reader.mark(at + 1), reader.number(at + 2)
    if separator is None or second is None or re.search(r'[()\[\]+"@]', separator):
        return []
    mark = separator or " "
    third = reader.number(at + 4) if reader.mark(at + 3) == separator else None
    is_clock = mark == ":" and len(first[0]) != 4
    if third is not None and not is_clock:
        days = _three_numbers(reader, (first, second, third), mark)
        if days:
            return [(at + 5, day) for day in days]
    return [] if is_clock else _pair_of_numbers(reader, at, mark, first, second)


def _pair_of_numbers(reader, at, mark, first, second):
    if mark[0] not in "-/. ":
        return []
    if len(first[0]) == 4 and len(second[0]) == 3 and mark == "-":
        return [(at + 3, {"year": int(first[0]), "day_of_year": int(second[0])})]
    year, month = (first[0], second[0]) if len(first[0]) == 4 else (second[0], first[0])
    if len(year) == 4:
        fits = len(month) <= 2 and 1 <= int(month) <= 12 and mark != " "
        return [(at + 3, {"year": int(year), "month": int(month)})] if fits else []
    if _joined(reader, at, -1) or _joined(reader, at + 2, 1):
        return []
    is_closed = (reader.mark(at + 3) or "").startswith(".")
    if _certain_year(first) or _certain_year(second) or not (mark in ("/", "-") or (mark == "." and is_closed)):
        return []
    return [(at + 3, fields) for fields in _two_numbers(reader, first, second, mark)]


def _compact_number(reader, at, digits):
    if len(digits) == 7:
        return [(at + 1, {"year": int(digits[:4]), "day_of_year": int(digits[4:])})]
    if len(digits) not in (6, 8, 12, 14, 17):
        return []
    time = digits[8:]
    hour, minute, second, millisecond = (int(part or 0) for part in (time[:2], time[2:4], time[4:6], time[6:]))
    if hour > 23 or minute > 59 or second > 59:
        return []
    clock = {"hour": hour, "minute": minute, "second": second, "millisecond": millisecond} if time else {}
    return [(at + 1, {**day, **clock}) for day in _compact_day(reader, digits[:8])]


def _day_items(reader, at):
    """The days, months and years that start at a number."""
    number = reader.number(at)
    if number is None:
        return []
    digits, is_year = number
    items = _marked_number(reader, at, digits) + _number_before_month(reader, at, number)
    items += _separated_numbers(reader, at, number) + _compact_number(reader, at, digits)
    if (len(digits) == 4 and not _joined(reader, at, 1) and not _joined(reader, at, -1)) or is_year:
        year = reader.year_fields(digits)
        items += [(at + 1, year)] if year else []
    return items
