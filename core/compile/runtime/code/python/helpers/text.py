def _length(text):
    """Length in UTF-16 code units, as the program counts it."""
    return len(text) + sum(char > "\uffff" for char in text)


def _units(text):
    """A key that orders texts by UTF-16 code unit."""
    return text.encode("utf-16-be")


def _index(text, unit):
    """The index of a UTF-16 position; inside a character of two units it is a half and cuts nothing."""
    length = _length(text)
    if not 0 <= unit <= length:
        raise ValueError("the text is too short")
    if length == len(text):
        return unit
    at = 0
    for index, char in enumerate(text):
        if at >= unit:
            return index if at == unit else index - 0.5
        at += 1 + (char > "\uffff")
    return len(text) if at == unit else len(text) - 0.5


def _unit(text, index):
    """The UTF-16 position of an index."""
    whole = int(index)
    return _length(text[:whole]) + (index != whole)


def _shift(text, index, by):
    return _index(text, _unit(text, index) + by)


def _index_of_number(text, number):
    unit = _length(text) + number if number < 0 else number
    if unit != int(unit):
        raise ValueError("not a position")
    return _index(text, int(unit))


def _cut(text, start, end):
    """The text between two indexes."""
    if start > end or start != int(start) or end != int(end):
        raise ValueError("no text between the positions")
    return text[int(start) : int(end)]


def _matches(pattern, text):
    """The matches, without an empty one right at the end of another."""
    pattern = re.compile(pattern)
    at, last = 0, -1
    while at <= len(text) and (match := pattern.search(text, at)):
        if match.end() > match.start() or match.end() != last:
            yield match
        last = match.end()
        at = last + (match.end() == match.start())


def _match(pattern, text, occurrence=1, group=0):
    """The match number `occurrence`, from the end when negative."""
    found = [match for match in _matches(pattern, text) if match.group(group) is not None]
    index = occurrence - 1 if occurrence > 0 else len(found) + occurrence
    if not 0 <= index < len(found):
        raise ValueError("no match")
    return found[index]


def _literal(text):
    """A pattern for a text that is computed; the empty text has no matches."""
    return re.escape(text) if text else "(?!)"


def _boundary(left, right, text, occurrence):
    """The index where a match of `left` ends and one of `right` starts."""
    ends = {match.end() for match in _matches(left, text)}
    found = sorted({match.start() for match in _matches(right, text)} & ends)
    index = occurrence - 1 if occurrence > 0 else len(found) + occurrence
    if not 0 <= index < len(found):
        raise ValueError("no match")
    return found[index]


def _seek(pattern, text, base, occurrence):
    """The k-th match after an index, or before it when the occurrence is negative."""
    found = list(_matches(pattern, text))
    if occurrence > 0:
        index = sum(match.start() < base for match in found) + occurrence - 1
    else:
        index = sum(match.end() <= base for match in found) + occurrence
    if not 0 <= index < len(found):
        raise ValueError("no match")
    return found[index]


def _ends_with(pattern, text):
    found = list(_matches(pattern, text))
    return bool(found) and found[-1].end() == len(text)


def _replace(pattern, text, put, occurrence=None):
    """Puts a text in the place of every match, or of one."""
    found = list(_matches(pattern, text))
    if occurrence is not None:
        index = occurrence - 1 if occurrence > 0 else len(found) + occurrence
        found = [found[index]] if 0 <= index < len(found) else []
    out, copied = [], 0
    for match in found:
        out += [text[copied : match.start()], put]
        copied = match.end()
    return "".join(out) + text[copied:]


def _split(pattern, text):
    parts, copied = [], 0
    for match in _matches(pattern, text):
        if match.end() > match.start():
            parts.append(text[copied : match.start()])
            copied = match.end()
    return [*parts, text[copied:]]


def _groups(pattern, text):
    """The groups of the first match; a group that took no part is empty."""
    match = re.search(pattern, text)
    if match is None:
        raise ValueError("no match")
    return [group or "" for group in match.groups()]


def _trim(text, members, side="both"):
    """The text without the characters of a class at its ends."""
    if side != "end":
        text = re.sub(rf"\A[{members}]+", "", text)
    return text if side == "start" else re.sub(rf"[{members}]+\Z", "", text)


def _pad(text, side, width, fill):
    """At least `width` UTF-16 units of text, filled at one side."""
    if width != int(width) or width < 0:
        raise ValueError("the width is no whole number")
    missing = int(width) - _length(text)
    if missing <= 0:
        return text
    filling = (fill * missing).encode("utf-16-le")[: 2 * missing].decode("utf-16-le")
    return filling + text if side == "start" else text + filling


def _repeat(text, times):
    if times != int(times) or times < 0:
        raise ValueError("not a number of times")
    return text and text * int(times)


def _join(items, separator):
    return separator.join(items)


def _ends_with_text(text, end):
    return end != "" and text.endswith(end)
