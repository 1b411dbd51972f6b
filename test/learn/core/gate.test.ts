import { expect } from 'chai'
import {
  drawResults,
  everPromoted,
  falsePromotions,
  fixedSample,
  medianRows,
} from '../../../bench/service/gates/gate-simulations.ts'
import { anytimePValue } from '../../../core/kernel/statistics/betting.ts'
import { percentileInterval } from '../../../core/kernel/statistics/percentile-bootstrap.ts'
import { followResults, gainPValue, isPromoted } from '../../../core/learn/gate/decide.ts'
import { decidePoint, kScoreOfAxes, type PointSide } from '../../../core/learn/gate/posted/point.ts'
import { testSignificance, type PerCase } from '../../../core/learn/gate/posted/significance.ts'
import { CANDIDATE_RIGHT, resultsHash, rowsSetHash, scoringOrder } from '../../../core/learn/gate/results.ts'
import { isSpent, leastGain, nextLevel } from '../../../core/learn/gate/spending.ts'
import { DEFAULT_SIGNIFICANCE } from '../../../core/learn/wire/gates.ts'
import { createRandom } from '../../../core/model/random.ts'

describe('decisions of gates', () => {
  describe('alpha over the tree of answers', () => {
    it('follows the formula', () => {
      const share = (k: number) => 6 / (Math.PI * k) ** 2
      expect(nextLevel(0.05, [])).to.deep.equal({ attempt: 1, promotions: 0, level: 0.025 * share(1) })
      const { level, attempt, promotions } = nextLevel(0.05, [false, false, true, false])
      expect([attempt, promotions]).to.deep.equal([5, 1])
      expect(level).to.be.closeTo((0.05 / 4) * share(3) * share(2), 1e-15)
    })

    it('sums to at most alpha over all nodes', () => {
      const sum = (earlier: readonly boolean[]): number =>
        nextLevel(0.05, earlier).level +
        (earlier.length === 12 ? 0 : sum([...earlier, false]) + sum([...earlier, true]))
      expect(sum([])).to.be.within(0.04, 0.05)
    })

    it('is spent when no result on the rows could pass', () => {
      expect(leastGain(2 ** -7)).to.equal(7)
      expect([isSpent(2 ** -7, 7), isSpent(2 ** -7, 6)]).to.deep.equal([false, true])
    })

    it('lets few of the adversaries ever be promoted', () => {
      const found = everPromoted(createRandom(1, 'adversaries'), {
        adversaries: 40,
        attempts: 60,
        rows: 200,
        differing: 0.3,
      })
      expect(found.spent).to.be.at.most(0.05)
      expect(found.each).to.be.greaterThan(0.5)
    })
  })

  describe('the test on all rows', () => {
    it('is exact: scipy.stats.binomtest(won, won + lost, alternative="greater")', () => {
      expect(gainPValue({ won: 15, lost: 5 })).to.be.closeTo(0.020694732666015625, 1e-12)
      expect(gainPValue({ won: 0, lost: 0 })).to.equal(1)
    })

    it('asks for the thresholds beside the level', () => {
      const results = new Uint8Array(100).fill(0).fill(CANDIDATE_RIGHT, 0, 20)
      const terms = (minDelta: number, minAccuracy: number) => ({ level: 0.01, thresholds: { minDelta, minAccuracy } })
      expect(isPromoted(results, terms(0.1, 0))).to.equal(true)
      expect(isPromoted(results, terms(0.3, 0))).to.equal(false)
      expect(isPromoted(results, terms(0.1, 0.5))).to.equal(false)
    })
  })

  describe('bets', () => {
    it('promote few null pairs that are looked at after every row', () => {
      const found = falsePromotions(createRandom(2, 'null'), { pairs: 200, rows: 300, differing: 0.3 })
      expect(found.gate).to.be.at.most(0.05)
      expect(found.wilson).to.be.greaterThan(found.gate)
    })

    it('need fewer rows than a fixed sample', () => {
      const pairs = { differing: 0.3, gain: 0.1 }
      const fixed = fixedSample(pairs)
      const median = (factor: number) =>
        medianRows(createRandom(3, `rows ${factor}`), {
          runs: 100,
          pairs: { ...pairs, gain: factor * pairs.gain },
          planned: pairs.gain,
          most: 2000,
        })
      expect(median(1)).to.be.at.most(1.7 * fixed)
      expect(median(2)).to.be.at.most(0.5 * fixed)
    })

    it('decide the same whether rows come at once or one by one', () => {
      const plan = { alpha: 0.05, planned: 0.1, futility: 0.1, thresholds: { minDelta: 0, minAccuracy: 0 } }
      const results = drawResults(createRandom(4, 'steps'), { differing: 0.4, gain: 0.2 }, 300)
      const whole = followResults(results, 300, plan)
      let rows = 0
      while (followResults(results.subarray(0, rows), 300, plan).end === null) rows++
      expect([rows, whole.end]).to.deep.equal([whole.rows, 'promote'])
      expect(followResults(results.subarray(0, rows), 300, plan)).to.deep.equal(whole)
    })

    it('give up when the planned gain is not evident', () => {
      const plan = { alpha: 0.05, planned: 0.2, futility: 0.1, thresholds: { minDelta: 0, minAccuracy: 0 } }
      const results = drawResults(createRandom(5, 'none'), { differing: 0.3, gain: 0 }, 1000)
      expect(followResults(results, 1000, plan)).to.include({ end: 'futile' })
    })

    it('score rows in an order that follows from them as a set', () => {
      const rows = Array.from({ length: 20 }, (_, at) => ({ input: at, output: at }))
      const turned = rows.toReversed()
      expect(rowsSetHash(turned))
        .to.equal(rowsSetHash(rows))
        .and.not.to.equal(rowsSetHash(rows.slice(1)))
      const inOrder = (given: typeof rows) =>
        scoringOrder(rowsSetHash(given), given).map((place) => given[place]?.input)
      expect(inOrder(turned))
        .to.deep.equal(inOrder(rows))
        .and.not.to.deep.equal(rows.map(({ input }) => input))
      expect(scoringOrder('gat_1', rows)).not.to.deep.equal(scoringOrder('gat_2', rows))
      expect(scoringOrder('gat_1', rows).toSorted((a, b) => a - b)).to.deep.equal(rows.map(({ input }) => input))
      const results = Uint8Array.of(1, 2, 3)
      expect(resultsHash(results, 'one')).not.to.equal(resultsHash(results, 'two'))
    })
  })

  describe('posted numbers', () => {
    const side = (kScore: number | null, regressionClasses: readonly string[] = []): PointSide => ({
      kScore,
      source: 'asserted_k_score',
      regressionClasses,
    })
    const thresholds = { min_kscore_delta: 0.02, max_regression_classes: 0, min_kscore_abs: 0.5 }

    it('are decided in the order of the checks', () => {
      const reason = (candidate: PointSide, baseline: PointSide) => decidePoint(candidate, baseline, thresholds).reason
      expect(reason(side(null), side(0.9))).to.include('no score')
      expect(reason(side(0.4), side(null))).to.include('below the floor')
      expect(reason(side(0.91), side(0.9))).to.include('gain')
      expect(reason(side(0.95, ['dates']), side(0.9, ['names']))).to.include('1 new regression classes')
      expect(decidePoint(side(0.93, ['names']), side(0.91, ['names']), thresholds).decision).to.equal('promote')
      expect(decidePoint(side(0.6), side(null), thresholds)).to.include({ decision: 'promote', delta: 0.6 })
    })

    it('make a K-score of axes, missing ones spread over the others', () => {
      expect(kScoreOfAxes({ A: 0.9, S: 0.5 })).to.be.closeTo((0.3 * 0.9 + 0.1 * 0.5) / 0.4, 1e-12)
      expect(kScoreOfAxes({ other: 1 })).to.equal(null)
    })
  })

  describe('significance of posted cases', () => {
    const cases = (composite: readonly number[], more: Partial<PerCase> = {}): PerCase => ({
      composite,
      axes: {},
      subgroups: {},
      regression_classes: {},
      ...more,
    })
    const spread = (count: number, gain: number): readonly number[] =>
      Array.from({ length: count }, (_, at) => 0.4 + gain + 0.1 * Math.sin(at))
    const test = (candidate: PerCase, baseline: PerCase, change: object = {}) =>
      testSignificance({ candidate, baseline, options: { ...DEFAULT_SIGNIFICANCE, ...change } })

    it('is paired: a small constant gain among scattered cases is found', () => {
      const found = test(cases(spread(200, 0.1)), cases(spread(200, 0)))
      expect(found).to.include({ decision: 'promote' })
      expect(found.composite).to.include({ n: 200, corrected_significant: true })
      expect(found.composite.mean_delta).to.be.closeTo(0.1, 1e-9)
    })

    it('abstains with few cases and without a gain', () => {
      expect(test(cases(spread(5, 0.3)), cases(spread(5, 0)))).to.include({ decision: 'abstain' })
      expect(test(cases(spread(100, 0)), cases(spread(100, 0))).reason).to.include('not significant')
    })

    it('blocks on a class that drops, whatever the composite gains', () => {
      const candidate = cases(spread(200, 0.2), { regression_classes: { dates: spread(200, -0.2) } })
      const baseline = cases(spread(200, 0), { regression_classes: { dates: spread(200, 0) } })
      for (const correction of ['bh', 'holm']) {
        expect(test(candidate, baseline, { correction })).to.include({ decision: 'block' })
      }
    })

    it('refuses cases that are no pairs', () => {
      expect(() => test(cases([1, 0]), cases([1]))).to.throw('per_case.composite')
      const member = cases([1], { axes: { A: [1] } })
      expect(() => test(member, cases([1]))).to.throw('baseline.per_case.axes.A')
      for (const group of ['axes', 'subgroups', 'regression_classes'] as const) {
        const baseline = cases([1], { [group]: { safety: [1] } })
        expect(() => test(cases([1]), baseline)).to.throw(`candidate.per_case.${group}.safety: is required`)
      }
    })

    it('has plain percentiles where they are asked for', () => {
      const values = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? 1 : 0))
      const { low, high } = percentileInterval(values, { resamples: 2000, seed: 1 })
      expect([low, high].map((value) => Math.abs(value - 0.5))).to.satisfy((ends: number[]) =>
        ends.every((end) => end > 0.1 && end < 0.17),
      )
    })

    it('gives an anytime-valid p-value of 1 without a gain', () => {
      expect(anytimePValue([0, 0, 0], { mean: 0, least: -1, planned: 0.1 })).to.equal(1)
    })
  })
})
