import { expect } from 'chai'
import { factsOf } from '../../../../core/compile/rows/intake/example.ts'
import type { RecipeKind, Row } from '../../../../core/compile/rows/task.ts'
import { chooseKind } from '../../../../core/compile/stages/judge/choose-kind.ts'
import { markOutdone } from '../../../../core/compile/stages/judge/outdone.ts'
import { verifyCandidates } from '../../../../core/compile/stages/judge/verify.ts'
import { sampleCandidates } from '../../../../core/compile/stages/sample/sample.ts'
import { intervalAt, worthOfRows } from '../../../../core/compile/stages/scoring/fold-interval.ts'
import { computeKScore, describeKScore } from '../../../../core/compile/stages/scoring/k-score.ts'

const ROWS = 24

/** The result of a kind whose folds got the rows of these places wrong. */
function result(kind: RecipeKind, wrong: readonly number[], floor = 0) {
  const results = Array.from({ length: ROWS }, (_, at) => ({
    id: `row_${at}`,
    correct: !wrong.includes(at),
    abstained: false,
    output: null,
    confidence: 1,
    failedChecks: [],
    unlike: false,
    error: null,
  }))
  const correct = ROWS - wrong.length
  const evaluation = {
    n: ROWS,
    correct,
    abstained: 0,
    failed: 0,
    accuracy: correct / ROWS,
    coverage: 1,
    interval: intervalAt(correct, ROWS, ROWS),
    latency: { p50_us: 1, p95_us: 1, p99_us: 1, calls: 9 },
    results,
  }
  const kScore = computeKScore(evaluation, { sizeBytes: 1, floor })
  return {
    kind,
    scoring: 'cross_fit',
    sampleId: kind,
    evaluation,
    kScore,
    innerEvidence: null,
    metamorphic: null,
  } as const
}

const places = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)
const rowsOf = (input: (at: number) => Row['input']): readonly Row[] =>
  places(0, ROWS).map((at) => ({ id: `row_${at}`, input: input(at), output: at % 2 === 0 ? 'a' : 'b' }))
const TEXTS = rowsOf((at) => `a message of some length, number ${at}`)
const NUMBERS = rowsOf((at) => ({ hours: at, count: at * 3 }))

describe('a program beside a learner', () => {
  const kindOf = (
    wrong: { readonly program: readonly number[]; readonly classifier: readonly number[] },
    { rows = TEXTS, fits = true, floor = 0 } = {},
  ) => {
    const results = [result('program', wrong.program, floor), result('classifier', wrong.classifier, floor)]
    return chooseKind(markOutdone(results, { rows, fitsAll: () => fits }))?.kind
  }

  it('ships over texts when it is right on significantly more rows, or on all', () => {
    expect(kindOf({ program: places(0, 4), classifier: places(3, 5) })).to.equal('classifier')
    expect(kindOf({ program: places(0, 2), classifier: places(2, 10) })).to.equal('program')
    expect(kindOf({ program: [], classifier: places(0, 1) })).to.equal('program')
  })

  it('ships over other inputs when it is right on all rows that it was found on', () => {
    const wrong = { program: places(0, 3), classifier: places(3, 3) }
    expect(kindOf(wrong, { rows: NUMBERS })).to.equal('program')
    expect(kindOf(wrong, { rows: NUMBERS, fits: false })).to.equal('classifier')
  })

  it('ships when it alone reaches the floor', () => {
    expect(kindOf({ program: places(0, 2), classifier: places(2, 3) }, { floor: 0.9 })).to.equal('program')
  })

  it('is none that gives one answer to all, where the rows have several', () => {
    const rows = places(0, 16).map((at) => ({
      id: `row_${at}`,
      input: `w${(at * 7) % 16}`,
      output: at % 8 === 3 ? 'b' : 'a',
    }))
    const common = { task: 'label', rows, negatives: [], facts: factsOf(rows) }
    const { kinds, samples } = sampleCandidates({ ...common, k: 4, budgetMs: 20_000, workBudget: 20_000 })
    const recipes = kinds.flatMap((kind) => kind.recipes.map(({ data }) => JSON.stringify(data.recipe)))
    expect(recipes.filter((recipe) => /"body":\{"op":"literal"/.test(recipe))).to.deep.equal([])
    expect(samples.length).to.be.greaterThan(0)
  })
})

describe('a classifier beside a tabular model', () => {
  const kindOf = (
    wrong: { readonly classifier: readonly number[]; readonly tabular: readonly number[] },
    { rows = NUMBERS, floor = 0 } = {},
  ) => {
    const results = [result('classifier', wrong.classifier, floor), result('tabular', wrong.tabular, floor)]
    return chooseKind(markOutdone(results, { rows, fitsAll: () => true }))?.kind
  }

  it('gives way to it where inputs have numbers or dates, unless significantly more of its rows are right', () => {
    const near = { classifier: places(0, 2), tabular: places(2, 3) }
    expect(kindOf(near)).to.equal('tabular')
    expect(kindOf(near, { rows: rowsOf((at) => ({ since: `2024-03-${10 + (at % 18)}` })) })).to.equal('tabular')
    expect(kindOf({ classifier: places(0, 2), tabular: places(2, 10) })).to.equal('classifier')
  })

  it('does not give way over texts and names, or where it alone reaches the floor', () => {
    const near = { classifier: places(0, 2), tabular: places(2, 3) }
    expect(kindOf(near, { rows: TEXTS })).to.equal('classifier')
    expect(kindOf(near, { rows: rowsOf((at) => ({ name: `n${at % 7}` })) })).to.equal('classifier')
    expect(kindOf(near, { floor: 0.9 })).to.equal('classifier')
  })
})

describe('the interval of a cross-fitted accuracy', () => {
  it('is that of Wilson where the recipes of the folds answer as the one that ships', () => {
    expect(worthOfRows(9, 12, 0)).to.equal(12)
    expect(intervalAt(9, 12, 12)).to.deep.equal({ low: 0.4677, high: 0.9111 })
  })

  it('is wider where they differ: statsmodels proportion_confint(4.5, 6, method="wilson")', () => {
    // (11/16)(5/16) = 0.2148; 12 * 0.2148 / (0.2148 + 3/12) = 5.55.
    expect(worthOfRows(9, 12, 3)).to.equal(6)
    expect(intervalAt(9, 12, 6)).to.deep.equal({ low: 0.3648, high: 0.94 })
    expect(worthOfRows(0, 3, 3)).to.be.at.least(1)
  })

  it('is stated with the rows that it rests on', () => {
    const rows = places(0, 12).map((at) => ({
      id: `row_${at}`,
      input: `${at % 2 === 0 ? 'invoice' : 'parcel'} ${'abcdefghijkl'.slice(at)} about ${['lamps', 'ovens', 'desks'][at % 3]}`,
      output: at === 5 ? 'billing' : at % 2 === 0 ? 'billing' : 'shipping',
    }))
    const common = { task: 'label', rows, negatives: [], facts: factsOf(rows) }
    const sample = sampleCandidates({ ...common, k: 4, budgetMs: 20_000, workBudget: 20_000 })
    const { kinds } = verifyCandidates({ ...common, sample, floor: 0 })
    const wide = kinds.filter(({ evaluation: { intervalRows = 12 } }) => intervalRows < 12)
    expect(wide).to.have.length.greaterThan(0)
    for (const { kScore, evaluation } of wide) {
      expect(describeKScore(kScore).interval.low).to.deep.include({
        n: evaluation.intervalRows,
        how: '95 % Wilson interval at the rows that these are worth: some recipes of folds answer otherwise',
      })
    }
  })
})
