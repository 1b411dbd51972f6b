def _parse_number(text, decimal=".", group="", currency=False, percent=False, parentheses=False, groups="threes"):
    """The number that the whole text is."""
    rest = text.strip(_SPACE)
    in_parentheses = parentheses and len(rest) >= 2 and rest[0] == "(" and rest[-1] == ")"
    if in_parentheses:
        rest = rest[1:-1].strip(_SPACE)
    rest, sign = _take_sign(rest)
    if currency:
        front = re.match(f"[A-Z]{{0,3}}[{_CURRENCY}]?", rest).end()
        # Letters and a sign stand in reverse order at the back.
        rest = rest[front:] if front else re.sub(f"[A-Z]{{0,3}}[{_CURRENCY}]?\\Z", "", rest, count=1)
        rest = rest.strip(_SPACE)
        if sign == 0:
            rest, sign = _take_sign(rest)
    is_percent = percent and rest.endswith("%")
    if is_percent:
        rest = rest[:-1].strip(_SPACE)
    digits = _plain_number(rest, decimal, group, 2 if groups == "indian" else 3)
    if in_parentheses and sign != 0:
        raise ValueError(f"{text!r} is no number")
    value = _result(Fraction(digits) / (100 if is_percent else 1))
    return -value if in_parentheses or sign < 0 else value


def _take_sign(text):
    if text[:1] not in ("-", "\u2212", "+") or text == "":
        return text, 0
    return text[1:].strip(_SPACE), 1 if text[0] == "+" else -1


def _plain_number(text, decimal, group, inner):
    """Digits with groups and decimals, as Python reads them."""
    separator = f"[{group}\xa0\u202f]" if group == " " else re.escape(group)
    grouped = f"[0-9]{{1,{inner}}}(?:{separator}[0-9]{{{inner}}})*{separator}[0-9]{{3}}|" if group else ""
    end = f"(?!{separator})" if group else ""
    found = re.fullmatch(f"((?:{grouped}[0-9]*){end})(?:{re.escape(decimal)}([0-9]+))?", text)
    if found is None or not (found[1] or found[2]):
        raise ValueError(f"{text!r} is no number")
    whole = "".join(re.findall("[0-9]", found[1]))
    return f"{whole or 0}.{found[2] or 0}"


def _format_number(
    value,
    min_decimals=0,
    max_decimals=None,
    mode="halfUp",
    decimal=".",
    group="",
    min_digits=1,
    sign="negative",
    groups="threes",
    digits=None,
):
    """Writes a number in plain digits."""
    if digits is not None:
        value = _round(value, mode=mode, digits=digits)
        min_decimals = max(0, digits - 1 - _exponent(value))
    elif max_decimals is not None:
        value = _round(value, max_decimals, mode)
    whole, _, decimals = _plain_digits(abs(value)).partition(".")
    whole = _group_digits(whole.zfill(min_digits), group, 2 if groups == "indian" else 3)
    decimals = decimals.ljust(min_decimals, "0")
    text = f"{whole}{decimal}{decimals}" if decimals else whole
    if sign == "always":
        return ("-" if value < 0 else "+") + text
    if value >= 0 or sign == "never":
        return text
    return f"({text})" if sign == "parentheses" else f"-{text}"


def _group_digits(digits, group, inner):
    """Puts a separator before the last three digits and before every `inner` digits in front of them."""
    parts = [digits[-3:]]
    rest = digits[:-3]
    while rest:
        parts.insert(0, rest[-inner:])
        rest = rest[:-inner]
    return group.join(parts)


def _whole(value):
    """A whole number that a double holds exactly."""
    if value != int(value) or abs(value) > 2**53 - 1:
        raise ValueError("out of range")
    return int(value)


def _ordinal(value):
    value = _whole(value)
    last = abs(value) % 100
    suffix = "th" if 11 <= last <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(last % 10, "th")
    return f"{value}{suffix}"


_ROMAN = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
    (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
]


def _roman(value):
    if value != int(value) or not 1 <= value <= 3999:
        raise ValueError("out of range")
    rest, out = int(value), ""
    for worth, letters in _ROMAN:
        out += letters * (rest // worth)
        rest %= worth
    return out


def _parse_roman(text):
    """A roman numeral in its one correct form."""
    numeral, value, at = _upper(text), 0, 0
    for worth, letters in _ROMAN:
        while numeral.startswith(letters, at):
            value += worth
            at += len(letters)
        if value > 3999:
            break
    if at < len(numeral) or value < 1 or value > 3999 or _roman(value) != numeral:
        raise ValueError(f"{text!r} is no roman numeral")
    return value


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()


def _number_words(value):
    """A whole number in English words."""
    if value != int(value) or abs(value) >= 10**15:
        raise ValueError("out of range")
    rest, parts = abs(int(value)), []
    for scale in ("", " thousand", " million", " billion", " trillion"):
        rest, below = divmod(rest, 1000)
        if below:
            parts.insert(0, _hundreds(below) + scale)
    return ("minus " if value < 0 else "") + (" ".join(parts) or "zero")


def _hundreds(value):
    hundreds, rest = divmod(value, 100)
    words = _ONES[rest] if rest < 20 else _TENS[rest // 10] + (f"-{_ONES[rest % 10]}" if rest % 10 else "")
    if hundreds == 0:
        return words
    return f"{_ONES[hundreds]} hundred" + (f" {words}" if rest else "")


def _format_radix(value, radix):
    """A whole number in another base."""
    value = _whole(value)
    rest, digits = abs(value), ""
    while rest or not digits:
        rest, digit = divmod(rest, radix)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"-{digits}" if value < 0 else digits


def _parse_radix(text, radix):
    """A whole number that is written in another base."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not re.fullmatch("[0-9A-Za-z]{1,64}", digits):
        raise ValueError(f"{text!r} is no number")
    value = _whole(int(digits, radix))
    return -value if text.startswith("-") else value


def _to_text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else _number_text(value)


def _to_number(value):
    """A number of a number, a boolean or a text in programming form."""
    if not isinstance(value, str):
        return int(value) if isinstance(value, bool) else value
    text = value.strip(_SPACE)
    if not re.fullmatch(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?", text):
        raise ValueError(f"{value!r} is no number")
    return _result(float(text))


def _to_boolean(value):
    """A boolean of a boolean, 1 or 0, or a word."""
    if isinstance(value, str):
        value = _lower(value.strip(_SPACE))
    for answer, words in ((True, ("true", "yes", "y", "on", "1", 1)), (False, ("false", "no", "n", "off", "0", 0))):
        if value in words:
            return answer
    raise ValueError(f"{value!r} is neither true nor false")
