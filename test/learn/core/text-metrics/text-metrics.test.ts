import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { z } from 'zod'
import { corpusFigure } from '../../../../core/learn/evals/scoring/corpus/corpus-figure.ts'
import { corpusMetric } from '../../../../core/learn/evals/scoring/corpus/corpus-metrics.ts'
import { CORPUS_METRIC_NAMES } from '../../../../core/learn/evals/scoring/metric-names.ts'

const Scores = z.record(z.enum(CORPUS_METRIC_NAMES), z.number())
/** Texts in many scripts with the scores of sacrebleu: bench/model/make-text-metrics-vectors.py wrote them. */
const Vectors = z.object({
  rows: z.array(
    z.object({
      answer: z.string(),
      references: z.array(z.string()),
      scores: Scores,
      edits: z.tuple([z.number(), z.number()]),
    }),
  ),
  corpora: z.array(z.object({ places: z.array(z.int()), scores: Scores, errors: Scores.optional() })),
})

const CLOSE = 1e-9

describe('metrics of generated texts', () => {
  const { rows, corpora } = Vectors.parse(JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8')))

  for (const name of CORPUS_METRIC_NAMES) {
    const { count, scoreAlone } = corpusMetric(name)
    const counted = rows.map(({ answer, references }) => count(answer, references))

    it(`${name} of a single row is that of sacrebleu`, () => {
      for (const [place, { scores, answer }] of rows.entries()) {
        expect(scoreAlone(counted[place] ?? []), answer).to.be.closeTo(scores[name], CLOSE)
      }
    })

    it(`${name} of a corpus is that of sacrebleu, with the error of lm-evaluation-harness`, () => {
      for (const { places, scores, errors } of corpora) {
        const figure = corpusFigure(
          corpusMetric(name),
          places.map((place) => counted[place] ?? []),
        )
        expect(figure.value).to.be.closeTo(scores[name], CLOSE)
        if (errors !== undefined) expect(figure.stderr).to.be.closeTo(errors[name], CLOSE)
      }
    })
  }

  it('ter counts the same edits as sacrebleu, and the mean length of the references', () => {
    for (const { answer, references, edits } of rows) {
      const [counted, length] = corpusMetric('ter').count(answer, references)
      expect(counted, answer).to.equal(edits[0])
      expect(length, answer).to.be.closeTo(edits[1], CLOSE)
    }
  })

  it('a figure has an interval of resampled rows, wider where rows come in clusters', () => {
    const [row = { answer: '', references: [] }, other = row] = rows.slice(20)
    const { count } = corpusMetric('chrf')
    const [right, wrong] = [count(row.answer, [row.answer]), count(row.answer, [other.answer])]
    const counts = Array.from({ length: 40 }, (_, place) => (place < 20 ? right : wrong))
    const widthOf = (clusters?: readonly string[]): number => {
      const { low, high } = corpusFigure(corpusMetric('chrf'), counts, clusters).spread?.interval ?? { low: 0, high: 0 }
      return high - low
    }
    const ofFour = counts.map((_, place) => `passage ${Math.floor(place / 4)}`)
    expect(widthOf()).to.be.above(0)
    expect(widthOf(ofFour)).to.be.above(widthOf())
  })

  it('a figure of rows that are all alike has no interval', () => {
    const counts = corpusMetric('bleu').count('one two three four', ['one two three four'])
    const { value, stderr, spread } = corpusFigure(corpusMetric('bleu'), [counts, counts, counts])
    expect(value).to.be.closeTo(100, CLOSE)
    expect(stderr).to.be.closeTo(0, CLOSE)
    expect(spread).to.equal(null)
  })

  it('the edits of a long answer of few words are counted, with a bounded number of shifts', () => {
    const words = Array.from({ length: 3000 }, (_, place) => `w${(place * place) % 7}`)
    const [edits, length] = corpusMetric('ter').count(words.join(' '), [words.toReversed().join(' ')])
    expect(edits).to.be.within(1, 3000)
    expect(length).to.equal(3000)
  }).timeout(60_000)

  it('the edits of a model that repeats itself for long are counted in a short time, wherever words are exchanged', () => {
    const pairs = Array.from({ length: 24 }, (_, place) => [`x${place}`, `y${place}`])
    const [swapped, right] = [pairs.flat(), pairs.flatMap((pair) => pair.toReversed())]
    const same = Array.from({ length: 15_000 }, () => 'again')
    const { count } = corpusMetric('ter')
    expect(count([...swapped, ...same].join(' '), [[...right, ...same].join(' ')])).to.deep.equal([24, 15_048])
    expect(count([...same, ...swapped].join(' '), [[...same, ...right].join(' ')])).to.deep.equal([24, 15_048])
  }).timeout(60_000)
})
