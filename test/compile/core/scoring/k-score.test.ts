import { expect } from 'chai'
import { EXACT } from '../../../../core/compile/rows/equality/equality.ts'
import { evaluate } from '../../../../core/compile/stages/scoring/evaluate.ts'
import { computeEarlierKScore } from '../../../../core/compile/stages/scoring/k-score-1.ts'
import { computeKScore, describeKScore } from '../../../../core/compile/stages/scoring/k-score.ts'
import { wilsonInterval } from '../../../../core/kernel/statistics/wilson-interval.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import { rowsOf } from '../rows/given-rows.ts'

const evaluated = (accuracy: number, coverage: number) => ({
  accuracy,
  coverage,
  n: 10,
  interval: { low: 0, high: 1 },
})

function score(accuracy: number, coverage: number, p50Us: number, sizeBytes: number, calls = 1) {
  const latency = { p50_us: p50Us, calls }
  return computeKScore({ ...evaluated(accuracy, coverage), latency }, { sizeBytes, floor: 0.85 })
}

describe('K-score', () => {
  // S = 1 - log2(10) / 30 = .8893, L = 1 / 1.001 = .9990, V = 1: K = .7 + .3 * .9628 = .9888
  it('agrees with hand-computed vectors', () => {
    expect(score(1, 1, 100, 10_240)).to.deep.include({ composite: 0.9888, ships: true })
    // S = 1 - 10 / 30 = .6667, L = .5, V = .9: K = .9 * (.7 + .3 * .6889) = .816
    expect(score(0.9, 0.9, 100_000, 1_048_576)).to.deep.include({ composite: 0.816, ships: false })
    expect(score(0, 0, 1, 100).composite).to.equal(0)
  })

  it('leaves an axis that was not measured out of the mean, and says so', () => {
    // S = 1 - 10 / 30 = .6667, V = 1: K = .7 + .3 * .8333 = .95
    const untimed = score(1, 1, 0, 1_048_576, 0)
    expect(untimed.composite).to.equal(0.95)
    const described = describeKScore(untimed)
    if (described.spec !== 'svc-k-score-2') throw new Error(described.spec)
    expect(described.axes.L).to.deep.equal({ basis: 'not_measured', why: 'no call was timed' })
    expect(described.axes.C).to.include({ basis: 'not_measured' })
    expect(described.axes.S).to.deep.include({ basis: 'measured', value: 0.6667 })
    expect(described.accuracy).to.deep.include({ basis: 'measured', value: 1, n: 10 })
  })

  it('keeps the formula of earlier archives, in which the cost counts', () => {
    // S = .8893, L = .9990, C = V = 1: K = .7 + .3 * .9721 = .9916
    const facts = { sizeBytes: 10_240, p50LatencyUs: 100, costUsdPerCall: 0, floor: 0.85 }
    expect(computeEarlierKScore(evaluated(1, 1), facts)).to.deep.include({
      spec: 'svc-k-score-1',
      composite: 0.9916,
      axes: { A: 1, S: 0.8893, L: 0.999, C: 1, V: 1 },
    })
    // S = .6667, L = C = .5, V = .9: K = .9 * (.7 + .3 * .6417) = .8033
    const poor = { sizeBytes: 1_048_576, p50LatencyUs: 100_000, costUsdPerCall: 0.001, floor: 0.85 }
    expect(computeEarlierKScore(evaluated(0.9, 0.9), poor)).to.deep.include({ composite: 0.8033, ships: false })
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
