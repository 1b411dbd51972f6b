import { expect } from 'chai'
import { compareCounts, type CountedRow } from '../../../../core/learn/evals/compare/compare-counts.ts'
import { pairRows } from '../../../../core/learn/evals/compare/pair-rows.ts'
import { corpusMetric } from '../../../../core/learn/evals/scoring/corpus/corpus-metrics.ts'
import { CORPUS_METRIC_NAMES } from '../../../../core/learn/evals/scoring/metric-names.ts'
import { readTasks } from '../../../../core/learn/evals/task/read-tasks.ts'

const TASK =
  'task: t\ndoc_to_text: q\ndoc_to_target: a\nmetric_list: [{metric: bleu}, {metric: chrf}, {metric: chrf++}, {metric: ter}]\n'
const REFERENCE = 'one two three four five six'

describe('comparisons of metrics of generated texts', () => {
  it('find a clear difference in very many rows, with fewer slices rather than too few resamples', () => {
    const countsOf = (answer: string): CountedRow['scores'] => [
      {
        filter: 'none',
        metrics: Object.fromEntries(
          CORPUS_METRIC_NAMES.map((name) => [name, corpusMetric(name).count(answer, [REFERENCE])]),
        ),
      },
    ]
    const [right, wrong] = [countsOf(REFERENCE), countsOf('one two four three five')]
    const rowsOf = (isRight: (place: number) => boolean): readonly CountedRow[] =>
      Array.from({ length: 4000 }, (_, place) => {
        const scores = isRight(place) ? right : wrong
        return { place, task: 't', hash: `${place}`, slice: `kind ${place % 10}`, cluster: null, scores }
      })
    const set = readTasks({ task: TASK })
    const pairs = pairRows(
      rowsOf((place) => place % 3 > 0),
      rowsOf((place) => place % 7 > 0),
    )
    const compared = compareCounts(set, pairs, { resamples: 2000, seed: 0, correction: 'holm' })
    expect(compared.slice(0, 4).map(({ metric, slice, n }) => [metric, slice, n])).to.deep.equal(
      CORPUS_METRIC_NAMES.map((name) => [name, null, 4000]),
    )
    for (const { metric, difference, isHigherBetter, adjusted } of compared) {
      expect(difference > 0, metric).to.equal(isHigherBetter)
      expect(adjusted, metric).to.be.below(0.05)
    }
    expect(compared.length).to.be.within(8, 43)
  }).timeout(60_000)
})
