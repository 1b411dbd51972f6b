import { expect } from 'chai'
import { measuredAxis, pairedAxis, recommend } from '../../../../core/compile/artifacts/diff/axes.ts'
import { compareRecipes } from '../../../../core/compile/artifacts/diff/compare-recipes.ts'
import type { RecipeDescription } from '../../../../core/compile/artifacts/diff/describe-recipe.ts'
import { countPairs, pairRows } from '../../../../core/compile/artifacts/diff/pair-rows.ts'
import { disagreementsOf, unionOfInputs } from '../../../../core/compile/artifacts/diff/run-both.ts'
import type { JudgedRow } from '../../../../core/compile/artifacts/diagnosis/judged-row.ts'
import type { RowResultRecord } from '../../../../core/compile/artifacts/diagnosis/row-result.ts'
import { sha256, type Json } from '../../../../core/kernel/json/json.ts'
import { mcnemar } from '../../../../core/kernel/statistics/mcnemar.ts'
import { createRandom } from '../../../../core/model/random.ts'

/** scipy.stats.binomtest(lost, lost + won, 0.5).pvalue of SciPy 1.17.1. */
const SCIPY = [
  [0, 5, 0.0625],
  [1, 0, 1],
  [5, 5, 1],
  [1, 8, 0.0390625],
  [10, 3, 0.09228515625],
  [15, 28, 0.0659940344557981],
  [30, 50, 0.03299261842647619],
  [75, 25, 5.636282034205402e-7],
  [120, 121, 1],
  [420, 380, 0.167898587128766],
  [5000, 5200, 0.04878796312682234],
  [3, 60, 9.048317650695026e-15],
] as const

function record(row: string, right: boolean, place = 0): RowResultRecord {
  return {
    rowId: `row_${row}`,
    place,
    fold: null,
    result: right ? 'right' : 'wrong',
    right,
    confidence: null,
    category: 'general',
    unlike: null,
    failedChecks: [],
    rowHash: sha256(row),
    gotHash: sha256(`${row} ${right}`),
  }
}

function judged(id: string, input: Json, expected: Json): JudgedRow {
  const content = { input, expected, got: expected }
  return { id, right: true, result: 'right', failedChecks: [], unlike: null, category: 'general', content }
}

describe('the comparison of two artifacts', () => {
  it("has SciPy's p-values", () => {
    for (const [lost, won, p] of SCIPY) expect(mcnemar({ lost, won }), `${lost} to ${won}`).to.be.closeTo(p, 1e-9)
    expect(mcnemar({ lost: 0, won: 0 })).to.equal(1)
  })

  it('pairs rows by their content, whatever their ids, and a repeated row as often as both have it', () => {
    const a = [record('one', true), record('two', true, 1), record('two', false, 2), record('three', true, 3)]
    const b = [record('four', true), record('two', false, 1), record('one', false, 2)].map((row) => ({
      ...row,
      rowId: `other_${row.rowId}`,
    }))
    const pairs = pairRows(a, b)
    expect(pairs.map((pair) => [pair.a.rowId, pair.b.rowId])).to.deep.equal([
      ['row_two', 'other_row_two'],
      ['row_one', 'other_row_one'],
    ])
    expect(countPairs(pairs, ({ right }) => right)).to.include({ rows: 2, lost: 2, won: 0, both: 0, pValue: 0.5 })
  })

  it('rolls a planted loss of 5 points on 1,000 rows back, and does not tell equal artifacts apart', () => {
    const drawn = (name: string, losing: number, winning: number) =>
      Array.from({ length: 100 }, (_, seed) => {
        const random = createRandom(seed, name)
        const rows = Array.from({ length: 1000 }, (_, row) => {
          const before = random.float() < 0.9
          const after = before ? random.float() >= losing : random.float() < winning
          return [record(String(row), before, row), record(String(row), after, row)] as const
        })
        const pairs = pairRows(
          rows.map(([one]) => one),
          rows.map(([, other]) => other),
        )
        return recommend(countPairs(pairs, ({ right }) => right))
      })
    // Of 900 right rows 80 are lost, of 100 wrong ones 30 are won: 5 points in all.
    const worse = drawn('worse', 80 / 900, 30 / 100)
    expect(worse.filter((one) => one === 'roll_back').length).to.be.at.least(95)
    // 50 are lost and 50 are won.
    const equal = drawn('equal', 50 / 900, 50 / 100)
    expect(equal.filter((one) => one !== 'inconclusive').length).to.be.at.most(5)
  })

  it('reads each axis in its direction: less latency and size are better', () => {
    expect(measuredAxis('p50_latency_us', 30, 20)).to.include({ direction: 'lower', change: 'better' })
    for (const [a, b] of [
      [0.4, 0.5],
      [4.9, 5.1],
      [15.8, 13.7],
    ] as const) {
      expect(measuredAxis('p50_latency_us', a, b).change).to.equal('undecided')
    }
    expect(measuredAxis('size_bytes', 30, 40)).to.include({ change: 'worse', pValue: null })
    expect(measuredAxis('k_score', 0.9, 0.95)).to.include({ direction: 'higher', change: 'better' })
    expect(measuredAxis('cost_usd_per_call', null, 1).change).to.equal('not_measured')
    const counts = { rows: 100, both: 80, neither: 10, lost: 4, won: 6, pValue: mcnemar({ lost: 4, won: 6 }) }
    expect(pairedAxis('accuracy', counts)).to.include({ a: 0.84, b: 0.86, change: 'undecided', n: 100 })
    expect(recommend(counts)).to.equal('inconclusive')
    const none = { rows: 0, both: 0, neither: 0, lost: 0, won: 0, pValue: 1 }
    expect(pairedAxis('accuracy', none)).to.include({ a: null, change: 'not_measured' })
    expect(recommend(none)).to.equal('inconclusive')
  })

  it('runs each stored input once, and lists lost answers before won ones', () => {
    const inputs = unionOfInputs(
      [judged('a1', 'only a', 1), judged('a2', 'both', 2), judged('a3', 'relabelled', 3)],
      [judged('b1', 'only b', 4), judged('b2', 'both', 2), judged('b3', 'relabelled', 30)],
    )
    expect(inputs).to.deep.equal([
      { rowA: 'a2', rowB: 'b2', input: 'both', expected: 2 },
      { rowA: 'a3', rowB: 'b3', input: 'relabelled' },
      { rowA: null, rowB: 'b1', input: 'only b', expected: 4 },
      { rowA: 'a1', rowB: null, input: 'only a', expected: 1 },
    ])
    const answer = (output: Json, error: string | null = null) => ({ output, abstained: false, confidence: 1, error })
    const [both, relabelled, onlyB, onlyA] = inputs
    if (both === undefined || relabelled === undefined || onlyB === undefined || onlyA === undefined) throw new Error()
    const differing = disagreementsOf(
      [
        { input: relabelled, a: answer(3), b: answer(30) },
        { input: both, a: answer(9), b: answer(2) },
        { input: onlyB, a: answer(4), b: answer(null, 'recipe_failed') },
        { input: onlyA, a: answer(1), b: answer(1 + 1e-12) },
      ],
      { spec: 'svc-equality-1', rules: [{ path: [], kind: 'number', relative: 1e-9, absolute: 1e-9 }] },
    )
    expect(differing.map(({ input, rightA, rightB }) => [input.input, rightA, rightB])).to.deep.equal([
      ['only b', true, false],
      ['both', false, true],
      ['relabelled', null, null],
    ])
  })

  it('puts programs, labels and settings side by side', () => {
    const description = (changes: Partial<RecipeDescription>): RecipeDescription => ({
      kind: 'classifier',
      lines: [],
      programs: new Map(),
      labels: new Map(),
      settings: new Map(),
      ...changes,
    })
    const { programs, labels, settings } = compareRecipes(
      description({
        programs: new Map([['total', 'input.total']]),
        labels: new Map([['answer', ['a', 'b', 1]]]),
        settings: new Map<string, Json>([
          ['recipe.threshold', 0.5],
          ['recipe.features.charGrams', [2, 4]],
        ]),
      }),
      description({
        labels: new Map([['answer', ['b', '1', 'c']]]),
        settings: new Map<string, Json>([
          ['recipe.threshold', 0.6],
          ['recipe.features.charGrams', [2, 4]],
        ]),
      }),
    )
    expect(programs).to.deep.equal([{ name: 'total', a: 'input.total', b: null, same: false }])
    expect(labels).to.deep.equal([{ place: 'answer', onlyA: ['a', 1], onlyB: ['1', 'c'], shared: 1 }])
    expect(settings.map(({ same }) => same)).to.deep.equal([false, true])
  })
})
