import { expect } from 'chai'
import type { PreparedRow } from '../../../core/learn/evals/prompts/prepared.ts'
import { compareRows } from '../../../core/learn/evals/compare/compare.ts'
import { pairRows } from '../../../core/learn/evals/compare/pair-rows.ts'
import { aggregate } from '../../../core/learn/evals/scoring/aggregate.ts'
import { createScorer, type RowScore } from '../../../core/learn/evals/scoring/score-row.ts'
import { summarize } from '../../../core/learn/evals/scoring/summarize.ts'
import { readTasks } from '../../../core/learn/evals/task/read-tasks.ts'
import type { Json } from '../../../core/kernel/json/json.ts'

const ROW = { task: 't', docId: 0, doc: {}, requests: [], slice: null, cluster: null }

function scorerOf(task: string) {
  const [config] = readTasks({ task: `task: t\ntest_split: test\n${task}` }).tasks
  if (config === undefined) throw new Error('no task')
  return createScorer(config)
}

/** Metrics of one row whose answers are texts, by filter. */
function metricsOf(
  task: string,
  target: Json,
  texts: readonly string[],
): Readonly<Record<string, RowScore['metrics']>> {
  const row: PreparedRow = { ...ROW, target, choices: null }
  const { scores } = scorerOf(task)(row, { type: 'texts', texts })
  return Object.fromEntries(scores.map(({ filter, metrics }) => [filter, metrics]))
}

describe('scores of evaluation rows', () => {
  it('takes the lowest index of equally likely options', () => {
    const score = scorerOf('output_type: multiple_choice\ndoc_to_text: q\ndoc_to_target: a\ndoc_to_choice: c\n')
    const likelihoods = [-2, -1, -1].map((logProb) => ({ logProb, isGreedy: false }))
    const row = { ...ROW, target: 1, choices: ['a', 'bb', 'cc'] }
    expect(score(row, { type: 'likelihoods', likelihoods }).isRight).to.equal(true)
    expect(score({ ...row, target: 2 }, { type: 'likelihoods', likelihoods }).isRight).to.equal(false)
  })

  it('applies pipelines of filters and the settings of exact_match', () => {
    const task = `
doc_to_text: q
doc_to_target: a
repeats: 3
metric_list: [{metric: exact_match, ignore_case: true, ignore_punctuation: true, regexes_to_ignore: [","]}]
filter_list:
  - {name: last, filter: [{function: regex, regex_pattern: "(-?[0-9,]+)", group_select: -1}, {function: take_first}]}
  - {name: vote, filter: [{function: regex, regex_pattern: "[0-9]+"}, {function: majority_vote}, {function: take_first}]}
`
    const texts = ['first 3, then 1,200', '7 apples', '7 or 8']
    expect(metricsOf(task, '1200', texts)).to.deep.equal({ last: { exact_match: 1 }, vote: { exact_match: 0 } })
    expect(metricsOf(task, '7', texts)).to.deep.equal({ last: { exact_match: 0 }, vote: { exact_match: 1 } })
  })

  it('reads look-behind, and look-ahead at the end of a pattern, as Python does', () => {
    const taskOf = (pattern: string) => `
doc_to_text: q
doc_to_target: a
metric_list: [{metric: exact_match}]
filter_list:
  - {name: last, filter: [{function: regex, regex_pattern: '${pattern}', group_select: -1}, {function: take_first}]}
`
    const isFound = (pattern: string, expected: string, text: string) => {
      expect(metricsOf(taskOf(pattern), expected, [text]), pattern).to.deep.equal({ last: { exact_match: 1 } })
    }
    isFound('(?<=answer is )(.*)(?=.)', '(B) no', 'The answer is (B) no.')
    isFound('([A-E])(?= şıkkıdır| şıkkı)', 'B', 'Doğru A şıkkıdır, B şıkkı C')
    isFound('(?<=정답은)\\s*[(]?(A|B|C|D)[)]?.*(?=입니다.)', 'B', '정답은 (B) 입니다.')
    // The character that is looked at begins the next match.
    isFound('[a-z](?=[a-z])', 'c', 'abcd')
    isFound('(?i)(x)(?=Y)', 'X', 'xa Xy')
    // Brackets that are characters are no look-ahead.
    isFound('\\(?=([a-z])', 'b', '(=b')
    isFound('[(?=]+([a-z])', 'b', '?=b')
    for (const pattern of ['a(?=b)|c', '(a(?=b))c', 'a(?!b)', '(?P<x>a)(?P=x)']) {
      expect(() => scorerOf(taskOf(pattern)), pattern).to.throw('is not supported')
    }
  })

  it('sums what all answers of a row count, and calls no answer right by metrics of the corpus', () => {
    const task =
      'doc_to_text: q\ndoc_to_target: a\nrepeats: 2\nmetric_list: [{metric: ter}]\nfilter_list: [{name: two, filter: [{function: take_first_k, k: 2}]}]\n'
    const row: PreparedRow = { ...ROW, target: ['one two three'], choices: null }
    const scored = scorerOf(task)(row, { type: 'texts', texts: ['one two', 'three one two'] })
    expect(scored.scores[0]?.metrics['ter']).to.deep.equal([2, 6])
    expect(scored).to.deep.include({ isRight: null, rightRepeats: null })
  })

  it('bootstraps the error of a perplexity with the resamples of lm-evaluation-harness', () => {
    const figure = aggregate('perplexity', [-1.5, -0.25, -3, -2, -0.75])
    expect(figure.value).to.be.closeTo(4.4816890703380645, 1e-12)
    expect(figure.stderr).to.be.closeTo(2.2555959496632787, 1e-9)
  })

  it('gives six right rows the interval of their clusters and no smallest effect', () => {
    const set = readTasks({ task: 'task: t\ntest_split: test\ndoc_to_text: q\ndoc_to_target: a\n' })
    const figureOf = (clusters: readonly (string | null)[]) =>
      summarize(
        set,
        clusters.map((cluster) => ({
          task: 't',
          scores: [{ filter: 'none', filtered: 'a', metrics: { exact_match: 1 } }],
          slice: null,
          cluster,
          rightRepeats: null,
        })),
      ).figures[0]
    const alone = figureOf([null, null, null, null, null, null])
    expect(alone).to.deep.include({ smallestEffect: null, interval: { low: 0.6097, high: 1, method: 'wilson' } })
    const clustered = figureOf(['a', 'a', 'b', 'b', 'c', 'c'])
    expect(clustered).to.deep.include({ smallestEffect: null, interval: { low: 0.4385, high: 1, method: 'wilson' } })
  })

  it('gives equal evaluations an interval with a width, and no smallest effect', () => {
    const rowsOf = (clusters: readonly (string | null)[]) =>
      clusters.map((cluster, place) => ({
        place,
        task: 't',
        hash: `h${place}`,
        isRight: place < 3,
        slice: null,
        cluster,
      }))
    const comparisonOf = (rows: ReturnType<typeof rowsOf>) =>
      compareRows(pairRows(rows, rows), { correction: 'bh', resamples: 200, seed: 0 })[0]
    const alone = comparisonOf(rowsOf([null, null, null, null]))
    expect(alone).to.include({ difference: 0, smallestEffect: null })
    expect(alone?.interval.low).to.be.closeTo(-0.48989, 1e-4)
    expect(alone?.interval.high).to.be.closeTo(0.48989, 1e-4)
    expect(comparisonOf(rowsOf(['a', 'a', 'b', 'b']))?.interval.high).to.be.closeTo(0.65762, 1e-4)
  })
})
