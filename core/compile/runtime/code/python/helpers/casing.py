def _upper(text):
    """Upper case, with the letters that Unicode added after version 14."""
    return text.translate(_NEW_UPPER).upper()


def _lower(text):
    """Lower case, with the letters that Unicode added after version 14."""
    return text.translate(_NEW_LOWER).lower()


def _capitalise(text):
    """The first letter upper-case, the rest as it is."""
    return re.sub(f"[{_ALPHA}]", lambda letter: _upper(letter.group()), text, count=1)


def _title(text, words="word"):
    """Lower case with the first letter of every word upper-case."""
    inside = False

    def change(match):
        nonlocal inside
        part = match.group()
        if match.lastgroup == "letter":
            part = part if inside else _upper(part)
            inside = True
        elif match.lastgroup == "digit" and words != "letters":
            inside = True
        elif words == "space":
            inside = inside and match.lastgroup != "space"
        else:
            inside = words == "word" and inside and part in "'\u2019"
        return part

    return re.sub(f"(?P<letter>[{_ALPHA}])|(?P<digit>[0-9])|(?P<space>[{_SPACE}])|(?s:.)", change, _lower(text))


def _unaccent(text):
    """The text without accents."""
    decomposed = unicodedata.normalize("NFKD", text)
    kept = "".join(char for char in decomposed if unicodedata.category(char) != "Mn" and char not in _NEW_MARKS)
    return unicodedata.normalize("NFC", kept)


def _ascii_digits(text):
    """Digits of all scripts, and the marks between them, in ASCII."""
    return text.translate(_ASCII_DIGITS)


def _between_all(text, after, before):
    """The regions of a text between landmarks, as pairs of indexes."""
    regions, searched = [], -1
    while True:
        start = searched
        for landmark in after:
            found = _landmark(text, landmark, start)
            if found is None:
                return regions
            start = found[1]
        start = max(0, start)
        ends = [len(text) if mark == "" else (_landmark(text, mark, start) or (None,))[0] for mark in before or [""]]
        ends = [end for end in ends if end is not None]
        if not ends or min(ends) == searched:
            return regions
        searched = min(ends)
        regions.append(text[start:searched])
        if not after or searched >= len(text):
            return regions


def _landmark(text, landmark, start):
    """Where a landmark stands; a text is read with a line break before and behind it."""
    first = max(0, start)
    if landmark == "":
        return first, first
    if start < 0 and landmark[0] == "\n" and text.startswith(landmark[1:]):
        return 0, len(landmark) - 1
    at = text.find(landmark, first)
    if at >= 0:
        return at, at + len(landmark)
    at = len(text) - len(landmark) + 1
    if landmark[-1] == "\n" and at >= first and text.endswith(landmark[:-1]):
        return at, len(text)
    return None


def _between(text, after, before, occurrence):
    """One region between landmarks."""
    found = _between_all(text, after, before)
    index = occurrence - 1 if occurrence > 0 else len(found) + occurrence
    if not 0 <= index < len(found):
        raise ValueError("no such part of the text")
    return found[index]
