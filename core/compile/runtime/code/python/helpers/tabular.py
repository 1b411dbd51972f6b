def _at(value, path):
    """The value at a place of the input; None when there is none."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and step < len(value) else None
    return value


def _number_feature(value):
    """A number, or a text that writes one, within 1e100; NaN for other values."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return math.nan
    if isinstance(value, str):
        text = value.strip(_WHITE)
        if _length(value) > 400 or not re.fullmatch(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", text):
            return math.nan
        value = text
    return max(-1e100, min(1e100, float(value))) + 0.0


def _mark_of(text):
    """The decimal mark of one number, where its column shows none."""
    point, comma = text.rfind("."), text.rfind(",")
    last = max(point, comma)
    if last < 0:
        return "."
    mark, other = (".", ",") if last == point else (",", ".")
    if min(point, comma) >= 0:
        return mark
    is_group = text.find(mark) < last or (last <= 3 and last == len(text) - 4 and not text.startswith("0"))
    return other if is_group else mark


def _local_number_feature(value, decimal, affix):
    """A number, or a text that writes one as people do, within 1e100; NaN for other values."""
    if not isinstance(value, str):
        return _number_feature(value)
    text = value.strip(_WHITE)
    if _length(value) > 400:
        return math.nan
    signs = rf"[-+\u2212][{_WHITE}]*"
    sign = re.match(signs, text)
    text = text[sign.end() :] if sign else text
    if affix and text.startswith(affix):
        text = text[len(affix) :].lstrip(_WHITE)
    elif affix and text.endswith(affix):
        text = text[: -len(affix)].rstrip(_WHITE)
    if not sign and (sign := re.match(signs, text)):
        text = text[sign.end() :]
    decimal = decimal or _mark_of(text)
    groups = {".": ",", ",": "."}[decimal]
    form = rf"(?:[1-9][0-9]{{0,2}}(?:([ {groups}'\u2019\xa0\u2009\u202f])[0-9]{{3}}(?:\1[0-9]{{3}})*)|[0-9]+)(?:[{decimal}][0-9]+)?"
    if not re.fullmatch(form, text):
        return math.nan
    number = float(re.sub(r"[^0-9.]", "", re.sub(rf"[^0-9{decimal}]", "", text).replace(decimal, ".")))
    return max(-1e100, min(1e100, -number if sign and sign.group()[0] != "+" else number)) + 0.0


def _local_date(text, order):
    """Year, month, day, hour, minute and second of a date as people write it; none for other texts."""
    time = r"(?:,? (\d\d?):(\d\d)(?::(\d\d))?)?"
    if order == "ymd":
        found = re.fullmatch(r"(\d{4})([./-])(\d\d?)\2(\d\d?)" + time, text, re.ASCII)
    else:
        found = re.fullmatch(r"(\d\d?)([./-])(\d\d?)\2(\d{4}|\d\d)" + time, text, re.ASCII)
    if not found:
        return None
    first, _, second, third, *rest = found.groups()
    year, month, day = (first, second, third) if order == "ymd" else (third, second, first) if order == "dmy" else (third, first, second)
    century = 0 if len(year) > 2 else 2000 if int(year) < 69 else 1900
    return [int(year) + century, int(month), int(day), *(int(part or 0) for part in rest)]


def _date_features(value, order):
    """The parts of a date, by name; none for other values."""
    text = value.strip(_WHITE) if isinstance(value, str) else ""
    form = r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    if order is None:
        found = re.fullmatch(form, text, re.ASCII)
        given = [int(part or 0) for part in found.groups()] if found else None
    else:
        given = _local_date(text, order)
    year, month, day, hour, minute, second = given or [0] * 6
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if not 1 <= month <= 12 or not 1 <= day <= lengths[month - 1] or hour > 23 or minute > 59 or second > 60:
        return {}
    before = year - 1
    leaps = 0 if year == 0 else before // 4 - before // 100 + before // 400 + 1
    days = year * 365 + leaps + sum(lengths[: month - 1]) + day - 1 - 719_528
    return {"year": year, "month": month, "weekday": (days + 3) % 7 + 1, "day": days, "minute": hour * 60 + minute}


def _column_features(column, value):
    """The features of one column, by name; those without a name come first."""
    kind = column["kind"]
    if kind == "date":
        parts = _date_features(value, column.get("order"))
        return [], {**parts, "missing": not parts}
    if kind == "category":
        missing = value is None or (isinstance(value, str) and value.strip(_WHITE) == "")
        name = None if missing else _canonical_json(value.strip(_WHITE) if isinstance(value, str) else value)
        known = [name == other for other in column["values"]]
        return known, {"unseen": not missing and not any(known), "missing": missing}
    if kind == "text":
        text = value if isinstance(value, str) and value.strip(_WHITE) != "" else None
        found = set() if text is None else set(_text_features("", text, 2, column.get("charGrams", (0, 0))))
        known = [name in found for name in column["hashes"]]
        return known, {"characters": 0 if text is None else _length(text), "missing": text is None}
    if kind == "number" and "form" in column:
        number = _local_number_feature(value, **column["form"])
    elif kind == "number":
        number = _number_feature(value)
    elif kind == "boolean":
        number = float(value) if isinstance(value, bool) else math.nan
    else:
        number = len(value) if isinstance(value, list) else math.nan
    return [], {"value": number, "missing": math.isnan(number)}


@functools.cache
def _model():
    """The numbers of the model, out of weights.bin beside this file."""
    data = pathlib.Path(__file__).with_name("weights.bin").read_bytes()
    magic, features, scores, weights, trees, nodes, leaves = struct.unpack_from("<8s6I", data)
    counts = (features if weights else 0, weights, scores, nodes, leaves)
    if magic != b"SVCTAB1\n" or len(data) != 32 + 8 * sum(counts) + 8 * trees + 12 * nodes:
        raise OSError("weights.bin is not that of this model")
    at, lists = 32, []
    for form, count in [*(("d", count) for count in counts), *(("I", count) for count in (trees, trees, nodes, nodes, nodes))]:
        lists.append(struct.unpack_from(f"<{count}{form}", data, at))
        at += struct.calcsize(f"<{count}{form}")
    return lists


def _scores(value, columns):
    """The scores of an input: bias, linear part, and one leaf of each tree."""
    features = []
    for column in columns:
        known, named = _column_features(column, _at(value, column["path"]))
        features += [float(one) for one in [*known, *(named.get(part, math.nan) for part in column["parts"])]]
    centers, weights, biases, thresholds, leaves, tree_scores, roots, node_features, left, right = _model()
    scores = list(biases)
    for at, center in enumerate(centers):
        size = features[at] - center
        if not math.isnan(size):
            for score in range(len(scores)):
                scores[score] += size * weights[at * len(scores) + score]
    flag = 1 << 31
    for score, node in zip(tree_scores, roots):
        while node < flag:
            size = features[node_features[node] & flag - 1]
            goes_left = node_features[node] >= flag if math.isnan(size) else size <= thresholds[node]
            node = left[node] if goes_left else right[node]
        scores[score] += leaves[node - flag]
    if not all(map(math.isfinite, scores)):
        raise ValueError("a score is out of range")
    return scores


def _exp(value):
    """e to a power, out of operations that every machine rounds in one way."""
    held = max(-700.0, min(700.0, value))
    exponent = math.floor(held * 1.442695040888963387 + 0.5)
    rest = held - exponent * 6.9314718036912381649e-1 - exponent * 1.90821492927058770002e-10
    total = 1.0
    for term in range(14, 0, -1):
        total = 1 + rest * (1 / term) * total
    return math.ldexp(total, exponent)


def _sure(place, confidence, threshold):
    if confidence < threshold:
        raise LookupError("the model is in doubt")
    return place


def _label_of(scores, threshold):
    """The place of the most probable label."""
    if len(scores) == 1:
        second = 1 / (1 + _exp(-scores[0]))
        return _sure(int(second > 0.5), max(second, 1 - second), threshold)
    largest = max(scores)
    shares = [_exp(score - largest) for score in scores]
    best = max(range(len(shares)), key=shares.__getitem__)
    return _sure(best, shares[best] / sum(shares), threshold)


def _labels_of(scores, thresholds, threshold):
    """The places of the labels that are probable enough."""
    places, confidence = [], 1.0
    for place, score in enumerate(scores):
        share = 1 / (1 + _exp(-score))
        if share >= thresholds[place]:
            places.append(place)
        confidence *= share if share >= thresholds[place] else 1 - share
    return _sure(places, confidence, threshold)


def _rounded_to(number, decimals):
    """A number rounded to decimals, a half upwards."""
    scaled = number * 10**decimals + 0.5
    return math.floor(scaled) / 10**decimals if math.isfinite(scaled) else number
