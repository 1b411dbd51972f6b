def _words(text):
    """The words of a text: runs of letters, marks and digits, in lower case."""
    if len(text) > 10_000:
        units = text.encode("utf-16-le", "surrogatepass")[:40_000]
        text = units.decode("utf-16-le", "replace")
    word = ""
    for char in _lower(unicodedata.normalize("NFKC", text)) + " ":
        if unicodedata.category(char)[0] in "LMN":
            word += char
        elif word:
            yield word
            word = ""


def _fnv(state, data):
    """FNV-1a of some bytes, from a state on."""
    for byte in data:
        state = (state ^ byte) * 0x01000193 & 0xFFFFFFFF
    return state


def _mixed(state):
    """The finaliser of MurmurHash3."""
    state = (state ^ state >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    state = (state ^ state >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return state ^ state >> 16


def _feature(path, group, data):
    """The hash of one feature at a place of the input."""
    name = path.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _mixed(_fnv(0x811C9DC5, name.encode() + b"\x1f" + group + data))


def _text_features(path, text, word_grams, char_grams):
    """Words, pairs of words, and runs of characters inside a word."""
    shortest, longest = char_grams
    previous = None
    for word in _words(text):
        if word_grams >= 1:
            yield _feature(path, b"w", word.encode())
        if word_grams >= 2:
            if previous is not None:
                yield _feature(path, b"b", f"{previous} {word}".encode())
            previous = word
        if longest > 0:
            padded = f" {word} "
            for start in range(len(padded) - shortest + 1):
                for end in range(start + shortest, min(start + longest, len(padded)) + 1):
                    yield _feature(path, b"c", padded[start:end].encode())


def _features(value, word_grams, char_grams, path=""):
    """The features of an input, as hashes."""
    if isinstance(value, str):
        yield from _text_features(path, value, word_grams, char_grams)
    elif value is None or isinstance(value, bool):
        yield _feature(path, b"v", {None: b"null", True: b"true", False: b"false"}[value])
    elif isinstance(value, (int, float)):
        yield _feature(path, b"n", f"={_number_text(value)}".encode())
        size = "zero" if value == 0 else f"{'-' if value < 0 else '+'}{math.floor(math.log10(abs(value)) * 4)}"
        yield _feature(path, b"n", f"~{size}".encode())
    elif isinstance(value, dict):
        for name in sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass")):
            inner = f"{path}.{name}" if path else name
            yield from _features(value[name], word_grams, char_grams, inner)
    elif isinstance(value, list):
        for item in value:
            yield from _features(item, word_grams, char_grams, f"{path}[]")
    else:
        raise TypeError("the input must be a value of JSON")


@functools.cache
def _weights():
    """Scales, biases and weights by the hash of a feature, out of weights.bin beside this file."""
    data = pathlib.Path(__file__).with_name("weights.bin").read_bytes()
    magic, labels, count = struct.unpack_from("<8sII", data)
    if magic != b"SVCLIN1\n" or len(data) != 16 + 8 * labels + count * (4 + labels):
        raise OSError("weights.bin is not that of this classifier")
    scales = struct.unpack_from(f"<{labels}f", data, 16)
    biases = struct.unpack_from(f"<{labels}f", data, 16 + 4 * labels)
    hashes = struct.unpack_from(f"<{count}I", data, 16 + 8 * labels)
    rows = memoryview(data)[16 + 8 * labels + 4 * count :].cast("b")
    return scales, biases, {name: rows[at * labels : (at + 1) * labels] for at, name in enumerate(hashes)}


def _classify(value, word_grams, char_grams, temperature, threshold):
    """The place of the most probable label."""
    scales, biases, rows = _weights()
    counts = {}
    for name in _features(value, word_grams, char_grams):
        counts[name] = counts.get(name, 0) + 1
    values = {name: 1 + math.log(counts[name]) for name in sorted(counts)}
    length = math.sqrt(sum(size * size for size in values.values()))
    known = [(size / length, rows[name]) for name, size in values.items() if name in rows]
    if not known:
        raise LookupError("the classifier knows nothing of this input")
    sums = [0.0] * len(scales)
    for size, row in known:
        for label, weight in enumerate(row):
            sums[label] += weight * size
    scores = [total * scale + bias * 0.25 for total, scale, bias in zip(sums, scales, biases)]
    largest = max(scores)
    shares = [math.exp((score - largest) / temperature) for score in scores]
    best = max(range(len(shares)), key=shares.__getitem__)
    if shares[best] / sum(shares) < threshold:
        raise LookupError("the classifier is in doubt")
    return best
