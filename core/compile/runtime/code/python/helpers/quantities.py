def _read_quantity(text, to):
    """The amounts with units that the whole text is, in another unit."""
    kind = _UNITS[to][0]
    rest = text.strip(_SPACE)
    if _length(rest) > 120:
        raise ValueError(f"{text!r} is no quantity")
    negative = rest[:1] in ("-", "\u2212") and rest != ""
    if rest[:1] in ("-", "+", "\u2212") and rest:
        rest = rest[1:].lstrip(_WHITE)
    if kind == "number" and rest and re.match(f"[{_CURRENCY}]", rest):
        rest = rest[1:].lstrip(_WHITE)
    if kind == "time":
        rest = re.sub(_ISO_DURATION, lambda match: match[1] + (match[2] or ""), rest)
    total, last, at = Fraction(0), None, 0
    while at < len(rest):
        found = re.compile(_AMOUNT).match(rest, at)
        unit = found and _unit_of(kind, found[3])
        if unit is None or len(found[1] + found[2]) > 30:
            raise ValueError(f"{text!r} is no quantity")
        _, _, factor, offset = _UNITS[unit]
        factor = Fraction(factor)
        if last is not None and (kind in ("number", "temperature") or last <= factor):
            raise ValueError(f"{text!r} is no quantity")
        amount = Fraction(found[1].replace(",", "") + found[2])
        total += ((-amount if negative else amount) + Fraction(offset)) * factor
        last = factor
        at = re.compile(f"[{_WHITE},]*(?:and[{_WHITE}]+)?").match(rest, found.end()).end()
    if last is None:
        raise ValueError(f"{text!r} is no quantity")
    _, _, factor, offset = _UNITS[to]
    return _result(total / Fraction(factor) - Fraction(offset))


_AMOUNT = f"([0-9]{{1,3}}(?:,[0-9]{{3}})+(?![0-9])|[0-9]+)((?:\\.[0-9]+)?) ?([^0-9{_WHITE},.;]*)\\.?"
_ISO_DURATION = (
    r"\AP(?=[^\n\r\u2028\u2029])((?:[0-9]+W)?(?:[0-9]+D)?)"
    r"(?:T(?=[^\n\r\u2028\u2029])((?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?))?\Z"
)


def _unit_of(kind, spelling):
    """The unit of a kind with this spelling."""
    for change in (str, str.lower):
        wanted = change(spelling)
        for exact in (True, False):
            for name, (own, symbols, _, _) in _UNITS.items():
                if own == kind and wanted in (symbols if exact else [symbol.lower() for symbol in symbols]):
                    return name
    return None
