_DATE_SIGNS = {
    "ordinal": "st nd rd th er re e o a",
    "T": "t",
    "UTC": "z utc gmt",
    "week": "w kw wk week",
    "quarter": "q",
    "buddhist": "พ.ศ พศ be",
}
_UNIT_MARKS = {
    "year": "年 년",
    "month": "月 월",
    "day": "日 号 號 일",
    "hour": "h 時 时 点 點 시",
    "minute": "min m 分 분",
    "second": "s sec 秒 초",
}


def _date_words(locales):
    """The words that dates have in some locales: name to meanings, each (kind, value, locales)."""
    words = {}

    def add(name, kind, value, locale):
        meanings = words.setdefault(name, {})
        meanings[kind, value] = meanings.get((kind, value), frozenset()) | {locale}

    for locale, names in _DATE_NAMES.items():
        if locales and locale not in locales:
            continue
        for kind in ("month", "weekday"):
            for number, spellings in enumerate(names[kind + "s"].split("|"), 1):
                for name in filter(None, spellings.split(",")):
                    add(name, kind, number, locale)
        for half in ("am", "pm"):
            for name in names[half].split(","):
                add(name, "half", half == "pm", locale)
        for name in filter(None, names["words"].split(",")):
            add(name, "word", None, locale)
    for kind, names in _DATE_SIGNS.items():
        for name in names.split():
            add(name, kind, None, "*")
    for unit, names in _UNIT_MARKS.items():
        for name in names.split():
            add(name, "unit", unit, "*")
    return {name: [(kind, value, found) for (kind, value), found in meanings.items()] for name, meanings in words.items()}


_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u301c"
_FOLDED = str.maketrans(
    {
        "ı": "i",
        **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u061c\u2060\ufeff", ""),
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys("\u2018\u2019\u02bc\u05f3", "'"),
        **dict.fromkeys("\u201c\u201d\u05f4", '"'),
        **dict.fromkeys("\u060c\u3001", ","),
        **{
            chr(zero + digit): str(digit)
            for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50)
            for digit in range(10)
        },
    }
)


def _fold_date(text):
    """The form in which dates are read: lower case, without accents, with ASCII digits and marks."""
    if re.fullmatch("[ -~]*", text):
        return _lower(text)
    text = unicodedata.normalize("NFC", re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text)))
    text = re.sub("[\u0300-\u036f]", "", _lower(text))
    return re.sub(f"[{_WHITE}]", " ", text.translate(_FOLDED))


def _is_letter(char, categories="L"):
    return char != "" and unicodedata.category(char)[0] in categories


def _ends_word(text, end):
    """True when a name may end here; Han, Hangul and Thai have no spaces between words."""
    following, last = text[end : end + 1], text[end - 1]
    if following == "":
        return True
    if last in "0123456789":
        return following not in "0123456789"
    return not _is_letter(following, "LM") or bool(re.match("[\u0e01-\u0e3a\u0e40-\u0e5b\u1100-\u11ff\u2e80-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b\u3131-\u318e\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufad9\U00020000-\U000323af]", last))


def _date_tokens(text, words):
    """A text as numbers, names and separators: ("number", digits, is_year), ("name", meanings), ("mark", core, run)."""
    tokens, at = [], 0
    longest = max(map(len, words))
    while at < len(text):
        if len(tokens) >= 40:
            raise ValueError("too many parts for a date")
        is_year = _is_short_year(text, at)
        at += is_year
        if digits := re.compile("[0-9]+").match(text, at):
            if len(digits.group()) > 17:
                raise ValueError("too many digits for a date")
            tokens.append(("number", digits.group(), is_year))
            at = digits.end()
        elif _is_letter(text[at]):
            ends = range(min(len(text), at + longest), at, -1)
            end = next((end for end in ends if text[at:end] in words and _ends_word(text, end)), None)
            if end is None:
                raise ValueError("a word that is no part of a date")
            tokens.append(("name", words[text[at:end]]))
            at = end + (text[end : end + 1] == "॰")
        else:
            found = re.compile(r"[ ,.;:()\[\]\-+/|@_~·'\"\\#*]+").match(text, at)
            run = found.group() if found else ""
            if len(run) > 1 and run[-1] == "'" and _is_short_year(text, at + len(run) - 1):
                run = run[:-1]
            core = run.strip(" ")
            if run == "" or len(core) > 3:
                raise ValueError("a mark that is no part of a date")
            tokens.append(("mark", core, run))
            at += len(run)
    return tokens


def _is_short_year(text, at):
    found = re.compile("'[0-9]{2}").match(text, at)
    following = text[at + 3 : at + 4]
    return found is not None and not (following in "0123456789" and following) and not _is_letter(following)
