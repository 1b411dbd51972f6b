import { expect } from 'chai'
import { EXACT } from '../../../../core/compile/rows/equality/equality.ts'
import { evaluate } from '../../../../core/compile/stages/scoring/evaluate.ts'
import { computeKScore } from '../../../../core/compile/stages/scoring/k-score.ts'
import { wilsonInterval } from '../../../../core/compile/stages/scoring/wilson-interval.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import { rowsOf } from '../rows/given-rows.ts'

const LATENCY = { p50_us: 100, p95_us: 100, p99_us: 100, calls: 1 }

function score(accuracy: number, coverage: number, p50Us: number, sizeBytes: number, costUsdPerCall: number) {
  return computeKScore(
    { accuracy, coverage, n: 10, interval: { low: 0, high: 1 }, latency: { ...LATENCY, p50_us: p50Us } },
    { sizeBytes, costUsdPerCall, floor: 0.85 },
  )
}

describe('K-score', () => {
  // S = 1 - log2(10) / 30 = .8893, L = 1 / 1.001 = .9990, C = V = 1: K = .7 + .3 * .9721 = .9916
  it('agrees with hand-computed vectors', () => {
    expect(score(1, 1, 100, 10_240, 0)).to.deep.include({
      composite: 0.9916,
      ships: true,
      axes: { A: 1, S: 0.8893, L: 0.999, C: 1, V: 1 },
    })
    // S = 1 - 10 / 30 = .6667, L = C = .5, V = .9: K = .9 * (.7 + .3 * .6417) = .8033
    expect(score(0.9, 0.9, 100_000, 1_048_576, 0.001)).to.deep.include({ composite: 0.8033, ships: false })
    expect(score(0, 0, 1, 100, 0).composite).to.equal(0)
  })

  it('reports the Wilson interval', () => {
    // Textbook values: 8 of 10 and 0 of 10 at 95 %.
    expect(wilsonInterval(8, 10)).to.deep.equal({ low: 0.4902, high: 0.9433 })
    expect(wilsonInterval(0, 10)).to.deep.equal({ low: 0, high: 0.2775 })
    expect(wilsonInterval(0, 0)).to.deep.equal({ low: 0, high: 1 })
  })

  it('counts abstentions and failures as wrong', () => {
    const rows = rowsOf([
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 4],
    ])
    const evaluation = evaluate(
      {
        run(input) {
          if (input === 'b') return { abstained: true, output: null, confidence: 0.2 }
          if (input === 'c') throw MODEL_ERRORS.recipe_failed('no answer')
          return { abstained: false, output: input === 'a' ? 1 : 5, confidence: 1 }
        },
      },
      rows,
      { equality: EXACT, checksFor: () => ({ checks: [], inputs: [] }) },
    )
    expect(evaluation).to.deep.include({ n: 4, correct: 1, abstained: 1, failed: 1, accuracy: 0.25, coverage: 0.5 })
    expect(evaluation.results.map(({ error }) => error)).to.deep.equal([null, null, 'recipe_failed', null])
  })
})
