"""Writes test/learn/core/text-metrics/vectors.json: scores of sacrebleu, and errors of lm-evaluation-harness, for texts made here.

    python bench/model/make-text-metrics-vectors.py [FILE]

PYTHON has bench/model/lm-eval-requirements.lock installed. `rows` are answers with their references: sentence scores of BLEU, chrF,
chrF++ and TER, and the edits and reference length of TER. `corpora` are places of rows with the scores of the corpus and its errors by
`bootstrap_stderr` of lm-eval with the 100 resamples that it takes for these metrics. The texts are drawn from words and marks below.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

os.environ["DISABLE_MULTIPROC"] = "1"

import sacrebleu  # noqa: E402
from lm_eval.api import metrics  # noqa: E402

WORDS = {
    "latin": "the a storm moved north and closed two roads near Lübeck while Dr. Meyer's team didn't sleep O'Neil co-op "
    "re-enter naïve café ÇA Straße İzmir wrote e-mail state-of-the-art old bridge river carried timber",
    "numbers": "1,200.50 3-4 2024-05-01 10% $7.5 №12 U.S. 7.30pm 1.5x 100,000 -5 +3 .5 5. 1,2,3 50/50 3×4 ½ ²",
    "cyrillic": "буря закрыла две дороги у моста и река несла лес пока «команда» не спала Ёлка",
    "greek": "η καταιγίδα έκλεισε δύο δρόμους ΚΟΣΜΟΣ κόσμος· γέφυρα",
    "arabic": "أغلقت العاصفة طريقين قرب الجسر، بينما حمل النهر الخشب؟ ١٢٣",
    "hebrew": 'הסופה סגרה שני כבישים ליד הגשר צה"ל',
    "devanagari": "तूफ़ान ने पुल के पास दो सड़कें बंद कीं। नदी लकड़ी ले गई १२३",
    "han": "暴风雨关闭了桥边的两条路。 河水带走了木材， “团队”没有睡觉 ３４５",
    "japanese": "嵐が橋の近くの二つの道を閉ざした。 川は木材を運んだ、 カタカナ・ﾊﾝｶｸ",
    "hangul": "폭풍이 다리 근처의 두 길을 막았다. 강은 목재를 날랐다",
    "thai": "พายุปิดถนนสองสายใกล้สะพาน แม่น้ำพัดพาไม้",
    "yoruba": "ìjì náà ti pa ọ̀nà méjì lẹ́bàá afárá odò gbé igi ẹ̀kọ́ ṣé",
    "amharic": "አውሎ ነፋሱ ሁለት መንገዶችን ዘጋ። ወንዙ እንጨት ወሰደ፤",
    "symbols": "😀👍🏽 👩‍👩‍👧 𝔸𝔹 &amp; &lt;b&gt; &quot;so&quot; <skipped> a&b {x} [y] `z` ~ ^ _w_ | \\ # @home =5 * … – — “q” ‘r’ ¿s? ¡t!",
}
MARKS = [".", ",", "!", "?", ";", ":", "...", "-", "'s", ")", "(", '"', "-\n", "\n", "\t", " ", "  ", "\u00a0", "\u3000", "\u2028", "\x1c", "\x85", "\ufeff"]


def sentence(rnd: random.Random, length: int) -> list[str]:
    scripts = rnd.choices(list(WORDS), k=rnd.choice([1, 1, 1, 2, 3]))
    words = [word for script in scripts for word in WORDS[script].split(" ")]
    chosen = rnd.choices(words, k=length)
    return [word + rnd.choice(MARKS) if rnd.random() < 0.12 else word for word in chosen]


def changed(rnd: random.Random, words: list[str]) -> list[str]:
    words = list(words)
    for _ in range(rnd.randrange(1 + len(words) // 3)):
        kind = rnd.choice(["drop", "repeat", "replace", "shift", "shift", "case", "swap"])
        at = rnd.randrange(len(words)) if words else 0
        if not words:
            break
        if kind == "drop":
            del words[at]
        elif kind == "repeat":
            words[at:at] = [words[at]] * rnd.randrange(1, 4)
        elif kind == "replace":
            words[at] = rnd.choice(sentence(rnd, 3))
        elif kind == "shift":
            part = words[at : at + rnd.randrange(1, 13)]
            del words[at : at + len(part)]
            to = rnd.randrange(len(words) + 1)
            words[to:to] = part
        elif kind == "case":
            words[at] = words[at].swapcase()
        else:
            to = rnd.randrange(len(words))
            words[at], words[to] = words[to], words[at]
    return words


def rows(rnd: random.Random) -> list[tuple[str, list[str]]]:
    made = [
        ("", [""]),
        ("", ["a word"]),
        ("a word", [""]),
        (" \n ", ["\t"]),
        ("same", ["same"]),
        ("one two three", ["one two three"]),
        ("a", ["b"]),
        ("a a a a a a a", ["the a", "a a"]),
        ("b c d e f a", ["a b c d e f"]),
        ("x y", ["x y z", "x"]),
        (" ".join(["to be or not"] * 12), [" ".join(["not to be or"] * 12)]),
        ("yes", [" ".join(["no"] * 70 + ["yes"])]),
        (" ".join(["no"] * 70 + ["yes"]), ["yes"]),
        ("w", [" ".join(f"w{place}" for place in range(400)) + " w"]),
    ]
    for _ in range(250):
        length = rnd.choice([1, 2, 3, 5, 8, 12, 12, 20])
        reference = sentence(rnd, length)
        references = [reference] + [changed(rnd, reference) for _ in range(rnd.choice([0, 0, 0, 1, 2]))]
        answer = changed(rnd, reference) if rnd.random() < 0.85 else sentence(rnd, rnd.randrange(1, 15))
        made.append((" ".join(answer), [" ".join(each) for each in references]))
    for _ in range(2):
        few = rnd.choices(["to", "be", "or", "not", "that", "is"], k=60)
        made.append((" ".join(changed(rnd, changed(rnd, few))), [" ".join(few)]))
    return made


def corpus(rows: list[tuple[str, list[str]]], places: list[int]) -> dict[str, object]:
    answers = [rows[place][0] for place in places]
    most = max(len(rows[place][1]) for place in places)
    streams = [[(rows[place][1] + [None] * most)[stream] for place in places] for stream in range(most)]
    scores = {
        "bleu": sacrebleu.corpus_bleu(answers, streams).score,
        "chrf": sacrebleu.corpus_chrf(answers, streams).score,
        "chrf++": sacrebleu.corpus_chrf(answers, streams, word_order=2).score,
        "ter": sacrebleu.corpus_ter(answers, streams).score,
    }
    if most > 1:
        return {"places": places, "scores": scores}
    items = [[rows[place][1][0], rows[place][0]] for place in places]
    functions = {"bleu": metrics.bleu, "chrf": metrics.chrf, "chrf++": metrics.chrfpp, "ter": metrics.ter}
    of_lm_eval = {name: function(items) for name, function in functions.items()}
    if of_lm_eval != scores:
        raise SystemExit(f"lm-eval gives {of_lm_eval}, and sacrebleu {scores}")
    return {"places": places, "scores": scores, "errors": {name: metrics.bootstrap_stderr(function, items, 100) for name, function in functions.items()}}


def main() -> None:
    usual = Path(__file__).parents[2] / "test/learn/core/text-metrics/vectors.json"
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else usual
    rnd = random.Random(20)
    made = rows(rnd)
    ter = sacrebleu.TER()
    lines = []
    for answer, references in made:
        counts = ter._compute_segment_statistics(ter._preprocess_segment(answer), ter._extract_reference_info(references))
        scores = {
            "bleu": sacrebleu.sentence_bleu(answer, references).score,
            "chrf": sacrebleu.sentence_chrf(answer, references).score,
            "chrf++": sacrebleu.sentence_chrf(answer, references, word_order=2).score,
            "ter": sacrebleu.sentence_ter(answer, references).score,
        }
        lines.append({"answer": answer, "references": references, "scores": scores, "edits": counts})
    # lm-eval counts each resample anew, which takes minutes for the shifts of long answers.
    short = [place for place, (answer, references) in enumerate(made) if len(references) == 1 and len(answer.split()) < 15]
    corpora = [corpus(made, short[start : start + 20]) for start in range(0, 80, 20)]
    corpora += [corpus(made, rnd.sample(range(14, len(made) - 2), 50)) for _ in range(3)]
    corpora.append(corpus(made, list(range(len(made)))))
    write = lambda values: ",\n".join(json.dumps(value, ensure_ascii=True) for value in values)  # noqa: E731
    text = f'{{"sacrebleu": "{sacrebleu.__version__}", "rows": [\n{write(lines)}\n], "corpora": [\n{write(corpora)}\n]}}\n'
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


main()
