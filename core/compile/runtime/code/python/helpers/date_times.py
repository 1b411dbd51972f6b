def _small_number(reader, at, below, width=None):
    number = reader.number(at)
    if number is None or number[1] or len(number[0]) > 2 or int(number[0]) >= below:
        return None
    return None if width is not None and len(number[0]) != width else int(number[0])


def _with_fraction(reader, at, fields):
    number = reader.number(at + 1)
    if number and (reader.tight(at, ".") or reader.tight(at, ",")) and len(number[0]) <= 9:
        return at + 2, {**fields, "millisecond": int(number[0].ljust(3, "0")[:3])}
    return at, fields


def _clock_time(reader, at, mark):
    hour = _small_number(reader, at, 25)
    minute = _small_number(reader, at + 2, 60, 2 if mark == "." else None)
    if hour is None or minute is None or not reader.tight(at + 1, mark):
        return []
    fields = {"hour": hour, "minute": minute, **({"dotted": True} if mark == "." else {})}
    second = _small_number(reader, at + 4, 60, 2) if reader.tight(at + 3, mark) else None
    if second is None:
        return [] if reader.tight(at + 3, ":") else [(at + 3, fields)]
    return [_with_fraction(reader, at + 5, {**fields, "second": second})]


def _marked_time(reader, at):
    def unit(place):
        found = reader.meaning(reader.after_space(place), "unit")
        return found and found[1]

    hour = _small_number(reader, at, 25)
    if hour is None or unit(at + 1) != "hour":
        return []
    after_hour = reader.after_space(at + 1) + 1
    minute_at = reader.after_space(after_hour)
    minute = _small_number(reader, minute_at, 60)
    if minute is None:
        return [(after_hour, {"hour": hour})]
    if unit(minute_at + 1) != "minute":
        is_whole = len(reader.number(minute_at)[0]) == 2
        return [(minute_at + 1, {"hour": hour, "minute": minute})] if is_whole else []
    after_minute = reader.after_space(minute_at + 1) + 1
    second_at = reader.after_space(after_minute)
    second = _small_number(reader, second_at, 60)
    if second is None or unit(second_at + 1) != "second":
        return [(after_minute, {"hour": hour, "minute": minute})]
    return [(reader.after_space(second_at + 1) + 1, {"hour": hour, "minute": minute, "second": second})]


def _compact_time(reader, at):
    digits = (reader.number(at) or ("",))[0]
    if len(digits) not in (4, 6):
        return []
    hour, minute, second = (int(digits[start : start + 2] or 0) for start in (0, 2, 4))
    if hour > 23 or minute > 59 or second > 59:
        return []
    fields = {"hour": hour, "minute": minute, "second": second}
    return _with_zones(reader, *(_with_fraction(reader, at + 1, fields) if len(digits) == 6 else (at + 1, fields)))


def _hours(reader, at):
    hour = _small_number(reader, at, 25)
    return [] if hour is None else [(at + 1, {"hour": hour})]


def _with_half(reader, following, fields):
    place = reader.after_space(following)
    is_word = reader.meaning(place, "word") and not reader.meaning(place, "half")
    at = reader.after_dot(place + 1) if is_word else place
    half = reader.meaning(at, "half")
    return [(at + 1, {**fields, "afternoon": half[1]})] if half else []


def _signed_offset(reader, at, is_after_name):
    sign, number = reader.mark(at), reader.number(at + 1)
    if sign not in ("+", "-") or number is None or reader.spaced_after(at):
        return []
    digits = number[0]
    if len(digits) > 4 or len(digits) == 3 or (len(digits) == 1 and not is_after_name):
        return []
    hour = int(digits[:2] if len(digits) == 4 else digits)
    is_split = len(digits) < 4 and reader.tight(at + 2, ":")
    minute = _small_number(reader, at + 3, 60, 2) if is_split else int(digits[2:]) if len(digits) == 4 else 0
    if minute is None or minute > 59 or hour > 14:
        return []
    size = hour * 60 + minute
    return [(at + (4 if is_split else 2), -size if sign == "-" else size)]


def _with_zones(reader, following, fields):
    """A time alone, and with the offset from UTC that follows it."""
    at = reader.after_space(following)
    is_named = reader.meaning(at, "UTC") is not None
    offsets = _signed_offset(reader, at + 1 if is_named else following, is_named)
    if is_named:
        offsets.append((at + 1, 0))
    return [(following, fields)] + [(end, {**fields, "offset": offset}) for end, offset in offsets]


def _clocks(reader, at):
    return _clock_time(reader, at, ":") + _clock_time(reader, at, ".") + _marked_time(reader, at)


def _time_items(reader, at):
    """The times that start at a number, or at a half of the day before one."""
    half = reader.meaning(at, "half")
    if half:
        start = reader.after_dot(at + 1)
        found = [(end, {**fields, "afternoon": half[1]}) for end, fields in _clocks(reader, start) + _hours(reader, start)]
    else:
        found = _clocks(reader, at)
        found += [item for clock in _clocks(reader, at) + _hours(reader, at) for item in _with_half(reader, *clock)]
    return [item for clock in found for item in _with_zones(reader, *clock)]
