def _as_float(value):
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _exact(value):
    """The decimal that a number is written as."""
    return Fraction(repr(float(value)))


def _result(value):
    """The number nearest to an exact result."""
    value = _as_float(value)
    if not math.isfinite(value):
        raise ValueError("out of range")
    return int(value) if value.is_integer() and abs(value) <= 2**53 else value


def _add(left, right):
    """The decimal sum: 0.1 + 0.2 is 0.3."""
    return _result(_exact(left) + _exact(right))


def _subtract(left, right):
    """The decimal difference."""
    return _result(_exact(left) - _exact(right))


def _multiply(left, right):
    """The decimal product."""
    return _result(_exact(left) * _exact(right))


def _divide(left, right):
    """The decimal quotient."""
    if right == 0:
        raise ValueError("division by zero")
    return _result(_exact(left) / _exact(right))


def _modulo(left, right):
    """The remainder, with the sign of the divisor."""
    if right == 0:
        raise ValueError("division by zero")
    if abs(_last_place(left) - _last_place(right)) > 700:
        raise ValueError("out of range")
    return _result(_exact(left) % _exact(right))


def _last_place(value):
    text = _number_text(value)
    digits, _, exponent = text.partition("e")
    return int(exponent or 0) - len(digits.partition(".")[2])


def _power(base, exponent):
    """A whole power from -64 to 64."""
    if exponent != int(exponent) or abs(exponent) > 64 or (base == 0 and exponent < 0):
        raise ValueError("out of range")
    return _result(_exact(base) ** int(exponent))


def _numbers(items):
    return [_number(item) for item in items]


def _sum(items, by=None):
    """The decimal sum, from left to right, or that of which check digits are made."""
    terms = _numbers(items)
    if by is not None:
        terms = [_check_term(term, len(terms) - 1 - at, by) for at, term in enumerate(terms)]
    return functools.reduce(_add, terms, 0)


def _check_term(term, from_last, by):
    if by == "isbn":
        return _multiply(term, from_last + 1)
    if by == "mod11":
        return _multiply(term, (from_last - 1) % 6 + 2) if from_last else term
    if from_last % 2 == 0:
        return term
    if by == "ean":
        return _multiply(term, 3)
    doubled = _multiply(term, 2)
    return _add(doubled, -9) if doubled > 9 else doubled


def _running_sum(items):
    """For each item the sum of it and all before it."""
    return list(itertools.accumulate(_numbers(items), _add))


def _differences(items):
    """Each item but the first, less the one before it."""
    terms = _numbers(items)
    return [_subtract(after, before) for before, after in zip(terms, terms[1:])]


def _remainder(text, divisor):
    """The remainder of a number in digits and capital letters, which stand for 10 to 35."""
    if re.fullmatch("[0-9A-Z]+", text) is None:
        raise ValueError("no number")
    rest = 0
    for character in text:
        value = int(character, 36)
        rest = (rest * (100 if value > 9 else 10) + value) % divisor
    return rest


def _average(items, kind="mean"):
    """The mean; the median is that of the one or two in the middle by size."""
    if not items:
        raise ValueError("no numbers")
    if kind == "median":
        items = sorted(_numbers(items))[(len(items) - 1) // 2 : len(items) // 2 + 1]
    return _divide(_sum(items), len(items))


def _smallest(items):
    if not items:
        raise LookupError("no numbers")
    return min(_numbers(items))


def _largest(items):
    if not items:
        raise LookupError("no numbers")
    return max(_numbers(items))


def _number_text(value):
    """A number as JavaScript writes it."""
    digits, _, exponent = repr(float(value)).partition("e")
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    whole, _, decimals = digits.partition(".")
    decimals = "" if decimals == "0" else decimals
    point = len(whole) + int(exponent or 0)
    digits = (whole + decimals).lstrip("0")
    point -= len(whole + decimals) - len(digits)
    digits = digits.rstrip("0")
    if digits == "":
        return "0"
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    power = f"e{point - 1:+d}"
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + power


def _plain_digits(value):
    """A number without an exponent."""
    text = _number_text(value)
    return format(Decimal(text), "f") if "e" in text else text


def _rounded(value, mode):
    """A fraction rounded to a whole number."""
    whole, rest = divmod(abs(value), 1)
    up = {
        "halfUp": rest >= Fraction(1, 2),
        "halfEven": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1),
        "halfDown": rest > Fraction(1, 2),
        "floor": rest > 0 and value < 0,
        "ceil": rest > 0 and value > 0,
        "truncate": False,
        "expand": rest > 0,
    }[mode]
    return (-1 if value < 0 else 1) * (whole + up)


def _round(value, decimals=0, mode="halfUp", digits=None):
    """Rounds the decimal that a number is written as."""
    if digits is not None:
        decimals = digits - 1 - _exponent(value)
    power = Fraction(10) ** decimals
    return _result(_rounded(_exact(value) * power, mode) / power)


def _exponent(value):
    """The power of ten of the first digit."""
    return Decimal(repr(float(value))).adjusted() if value else 0


def _round_step(value, step, mode="halfUp"):
    """Rounds to a multiple of a step."""
    if step <= 0 or abs(_last_place(value) - _last_place(step)) > 700:
        raise ValueError("out of range")
    return _result(_rounded(_exact(value) / _exact(step), mode) * _exact(step))


def _written(value):
    """A decimal with the places that it is written with."""
    text = _plain_digits(value) if not isinstance(value, str) else value.strip(_SPACE)
    found = re.fullmatch(r"([-+\u2212]?)([0-9]*)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]{1,4}))?", text)
    if found is None:
        raise ValueError(f"{value!r} is no decimal")
    sign, whole, decimals, exponent = (part or "" for part in found.groups())
    if not 0 < len(whole + decimals) <= 1000 or abs(int(exponent or 0)) > 400:
        raise ValueError(f"{value!r} is no decimal")
    places = len(decimals) - int(exponent or 0)
    unscaled = int(whole + decimals) * 10 ** max(0, -places)
    return (-unscaled if sign in ("-", "\u2212") else unscaled), max(0, places)


def _written_text(unscaled, places):
    digits = str(abs(unscaled)).zfill(places + 1)
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if unscaled < 0 else text


def _decimal(do, left, right):
    """Adds, subtracts or multiplies written decimals, exactly and with their places."""
    (a, a_places), (b, b_places) = _written(left), _written(right)
    if do == "mul":
        return _written_text(a * b, a_places + b_places)
    places = max(a_places, b_places)
    a, b = a * 10 ** (places - a_places), b * 10 ** (places - b_places)
    return _written_text(a + b if do == "add" else a - b, places)


def _decimal_round(value, decimals, mode="halfUp"):
    """Rounds a written decimal that has more places."""
    unscaled, places = _written(value)
    if places <= decimals:
        return _written_text(unscaled, places)
    return _written_text(int(_rounded(Fraction(unscaled, 10 ** (places - decimals)), mode)), decimals)


def _decimal_sum(items):
    for item in items:
        _typed(item, str, int, float)
    return functools.reduce(lambda total, item: _decimal("add", total, item), items, "0")
