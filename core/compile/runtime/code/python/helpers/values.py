def _typed(value, *kinds):
    """The value, when it is of one of the kinds."""
    if isinstance(value, bool) and bool not in kinds or not isinstance(value, kinds):
        raise TypeError(f"{value!r} is of another type than the program takes")
    return value


def _number(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is no number")
    return value if -(2**53) <= value <= 2**53 else _as_float(value)


def _member(value, name):
    """A member of an object; it is missing in null."""
    if value is None:
        raise LookupError(name)
    return _typed(value, dict)[name]


def _item(value, index):
    """An item of a list; it is missing in null."""
    if value is None:
        raise LookupError(index)
    return _typed(value, list)[index]


def _same(left, right):
    """Equality of type and value."""
    if isinstance(left, datetime) and isinstance(right, datetime):
        return _milliseconds_between(left, right) == 0
    return _key(left) == _key(right)


def _key(value):
    """A value that can be hashed and is equal for equal values."""
    if isinstance(value, list):
        return ("list", *map(_key, value))
    if isinstance(value, dict):
        return ("object", frozenset((name, _key(member)) for name, member in value.items()))
    if isinstance(value, bool) or value is None:
        return ("constant", str(value))
    if isinstance(value, (int, float)):
        return ("number", _number(value))
    return ("text", value) if isinstance(value, str) else ("date", value)


def _order(left, right):
    """Below, at or above 0, as the left value is less, equal or greater."""
    if isinstance(left, str) and isinstance(right, str):
        left, right = _units(left), _units(right)
    elif isinstance(left, datetime) and isinstance(right, datetime):
        return _milliseconds_between(right, left)
    else:
        left, right = _number(left), _number(right)
    return (left > right) - (left < right)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _contains(value, items):
    key = _key(value)
    return any(_key(item) == key for item in items)


def _size(value):
    return _length(value) if isinstance(value, str) else len(value)


def _lookup(table, key, *default):
    """The value for a key of any type."""
    found = table.get(_key(key) if not isinstance(key, (list, dict)) else None, _ABSENT)
    if found is not _ABSENT:
        return found
    if default:
        return default[0]()
    raise ValueError(f"no entry for {key!r}")


_ABSENT = object()


def _optional(name, make):
    """A member, or none where its value has no answer."""
    try:
        return {name: make()}
    except (ValueError, LookupError, TypeError):
        return {}


def _names(value):
    """The names of an object's members, in order."""
    return sorted(value, key=_units)


def _rename(value, names):
    renamed = dict(names)
    kept = {name: member for name, member in value.items() if name not in renamed}
    return {**kept, **{new: value[old] for old, new in names if old in value}}


def _from_entries(items):
    if not all(isinstance(item, dict) and isinstance(item.get("key"), str) and "value" in item for item in items):
        raise TypeError("not a list of entries")
    return {item["key"]: item["value"] for item in items}


def _sort(items, keys, descending=False):
    """Sorts by keys that are all numbers or all texts."""
    if all(isinstance(key, str) for key in keys) and keys:
        keys = [_units(key) for key in keys]
    elif not all(map(_is_number, keys)):
        raise TypeError("numbers and other values have no common order")
    order = sorted(range(len(items)), key=keys.__getitem__, reverse=descending)
    return [items[index] for index in order]


def _unique(items):
    """The items without those that equal an earlier one."""
    found = {}
    for item in items:
        found.setdefault(_key(item), item)
    return list(found.values())


def _count(value):
    if value != int(value):
        raise ValueError("not a whole number")
    return max(-sys.maxsize, min(sys.maxsize, int(value)))


def _take(items, count):
    count = _count(count)
    return items[:count] if count >= 0 else items[count:]


def _drop(items, count):
    count = _count(count)
    return items[count:] if count >= 0 else items[:count]


def _canonical_json(value):
    """The JSON text of RFC 8785."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_canonical_json(name)}:{_canonical_json(value[name])}" for name in _names(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical_json, value)) + "]"
    if _is_number(value):
        return _number_text(value)
    return json.dumps(value, ensure_ascii=False)


def _parse_json(text):
    """The value of a JSON text, nested at most 64 deep."""

    def refuse(name):
        raise ValueError(f"{name} is no JSON")

    value = json.loads(text, parse_constant=refuse, parse_int=lambda digits: _number(int(digits)))
    _check_json(value, 0)
    return value


def _check_json(value, depth):
    if isinstance(value, str):
        value.encode("utf-8")
    elif isinstance(value, (list, dict)):
        if depth >= 64:
            raise ValueError("nested too deep")
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            _check_json(item, depth + 1)
    elif _is_number(value) and not math.isfinite(_as_float(value)):
        raise ValueError("too large a number")


def _can(make):
    """True when the value has an answer."""
    try:
        make()
    except (ValueError, LookupError, TypeError):
        return False
    return True


def _lookup_text(table, key):
    if key not in table:
        raise ValueError(f"no entry for {key!r}")
    return table[key]
