import { expect } from 'chai'
import { binomialCdf, leastAnswers, upperBound } from '../../../../core/kernel/statistics/binomial.ts'
import { certify } from '../../../../core/compile/runtime/certificate/certificate.ts'
import { riskCurve, type CalibrationRow } from '../../../../core/compile/runtime/certificate/risk-curve.ts'
import { testedPlaces, THRESHOLDS } from '../../../../core/compile/runtime/certificate/thresholds.ts'
import { createRandom } from '../../../../core/model/random.ts'

const HELD_OUT = { basis: 'held_out' as const, kinds: 1 }

/** Rows of one confidence, of which the first ones are wrong. */
function rowsAt(confidence: number, count: number, wrong: number): readonly CalibrationRow[] {
  return Array.from({ length: count }, (_, i) => ({ confidence, correct: i >= wrong, abstained: false }))
}

describe('exact binomial bounds', () => {
  it('agree with tables of the binomial distribution', () => {
    expect(binomialCdf(3, 10, 0.5)).to.be.closeTo(0.171875, 1e-12)
    expect(binomialCdf(0, 45, 0.05)).to.be.closeTo(0.0994, 1e-4)
    expect(binomialCdf(-1, 5, 0.2)).to.equal(0)
    expect(binomialCdf(5, 5, 0.2)).to.equal(1)
    expect(binomialCdf(400_000, 1_000_000, 0.4)).to.be.closeTo(0.5, 1e-3)
  })

  it('agree with published Clopper–Pearson limits', () => {
    // Two-sided 95 % limits are one-sided ones at 0.025.
    expect(upperBound(10, 100, 0.025)).to.be.closeTo(0.1762, 5e-5)
    expect(upperBound(1, 30, 0.025)).to.be.closeTo(0.1722, 5e-5)
    expect(upperBound(2, 20, 0.025)).to.be.closeTo(0.317, 5e-5)
    expect(upperBound(0, 20, 0.05)).to.be.closeTo(0.1391, 5e-5)
    expect(upperBound(7, 7, 0.05)).to.equal(1)
    expect(upperBound(0, 0, 0.05)).to.equal(1)
  })

  it('count the answers that show a share when none is wrong', () => {
    expect(leastAnswers(0.05, 0.1)).to.equal(45)
    expect(leastAnswers(0.03, 0.1)).to.equal(76)
    expect(leastAnswers(0.02, 0.1)).to.equal(114)
    expect(binomialCdf(0, 114, 0.02)).to.be.at.most(0.1)
    expect(binomialCdf(0, 113, 0.02)).to.be.greaterThan(0.1)
  })
})

describe('thresholds of certificates', () => {
  it('fall from 0.9999 to 0 and start where a calibrated answer may be wrong so often', () => {
    expect(THRESHOLDS).to.have.length(97)
    expect([THRESHOLDS[0], THRESHOLDS.at(-2), THRESHOLDS.at(-1)]).to.deep.equal([0.9999, 0.09, 0])
    expect(THRESHOLDS.every((threshold, i) => i === 0 || threshold < (THRESHOLDS[i - 1] ?? 0))).to.equal(true)
    const range = (maxError: number) => {
      const { from, to } = testedPlaces(maxError)
      return [THRESHOLDS[from], THRESHOLDS[to]]
    }
    expect(range(0.03)).to.deep.equal([0.97, 0.53])
    expect(range(0.05)).to.deep.equal([0.953, 0.53])
    expect(range(0.000001)).to.deep.equal([0.9999, 0.53])
    expect(range(0.99)).to.deep.equal([0.53, 0.53])
  })
})

describe('risk certificate', () => {
  const risk = { max_error: 0.05, confidence: 0.9 }

  it('certifies all answers where hardly one is wrong', () => {
    const certificate = certify([...rowsAt(0.99, 300, 1), ...rowsAt(0.6, 100, 2)], { risk, ...HELD_OUT })
    expect(certificate).to.deep.include({ status: 'certified', threshold: 0.53, answered: 400, wrong: 3, coverage: 1 })
    expect(certificate.error_bound).to.be.lessThan(0.05)
    expect(certificate.statement).to.equal(
      'With probability 0.9 over the calibration rows, at most 5 % of the given answers are wrong, for inputs drawn as these were.',
    )
  })

  it('speaks of the confident answers alone where answers in doubt are given too', () => {
    const { statement, threshold } = certify(rowsAt(0.99, 300, 1), { risk, ...HELD_OUT, onDoubt: 'answer' })
    expect(statement).to.not.include('given answers').and.to.not.equal('')
    expect(statement).to.include(`answers whose confidence is at least ${threshold} are wrong`)
    expect(statement).to.include('says nothing of them')
  })

  it('stops at the first threshold that does not pass, though a lower one would', () => {
    const rows = [...rowsAt(0.99, 100, 0), ...rowsAt(0.9, 20, 12), ...rowsAt(0.6, 900, 0)]
    const certificate = certify(rows, { risk, ...HELD_OUT })
    const last = certificate.curve.find(({ threshold }) => threshold === 0.53)
    expect(binomialCdf(last?.wrong ?? 0, last?.answered ?? 0, 0.05)).to.be.lessThan(0.1)
    expect(certificate).to.deep.include({ status: 'certified', answered: 100, wrong: 0 })
    expect(certificate.threshold).to.be.within(0.9, 0.95)
    expect(certificate.tested).to.be.lessThan(testedPlaces(0.05).to - testedPlaces(0.05).from)
  })

  it('counts rows of one confidence together', () => {
    const curve = riskCurve([...rowsAt(0.97, 10, 3), ...rowsAt(0.96, 5, 0)])
    expect(curve.filter(({ threshold }) => threshold > 0.97).every(({ answered }) => answered === 0)).to.equal(true)
    expect(curve.find(({ threshold }) => threshold === 0.97)).to.deep.equal({ threshold: 0.97, answered: 10, wrong: 3 })
    expect(curve.at(-1)).to.deep.equal({ threshold: 0, answered: 15, wrong: 3 })
  })

  it('never counts an abstention, or an answer of confidence 0, as given', () => {
    const silent = [{ confidence: 0.99, correct: false, abstained: true }, ...rowsAt(0, 3, 3)]
    expect(riskCurve(silent).every(({ answered, wrong }) => answered === 0 && wrong === 0)).to.equal(true)
  })

  it('names the rows that it needs where there are too few', () => {
    const none = certify([], { risk, ...HELD_OUT })
    expect(none).to.deep.include({
      status: 'not_certifiable',
      reason: 'too_few_rows',
      rows_needed: 45,
      threshold: null,
    })
    const few = certify(rowsAt(0.99, 30, 0), { risk, ...HELD_OUT })
    expect(few).to.deep.include({ status: 'not_certifiable', reason: 'too_few_rows', rows_needed: 45 })
    expect(few.statement).to.include('30 rows are too few').and.to.include('45 rows')
    const unsure = certify([...rowsAt(0.99, 30, 0), ...rowsAt(0.5, 30, 0)], { risk, ...HELD_OUT })
    expect(unsure).to.deep.include({ reason: 'too_few_rows', rows_needed: 90 })
  })

  it('says that more rows do not help where the most confident answers are wrong too often', () => {
    const certificate = certify(rowsAt(0.99, 400, 60), { risk, ...HELD_OUT })
    expect(certificate).to.deep.include({ status: 'not_certifiable', reason: 'too_uncertain', rows_needed: null })
    const near = certify(rowsAt(0.99, 100, 4), { risk, ...HELD_OUT })
    expect(near.reason).to.equal('too_uncertain')
    expect(near.rows_needed).to.be.greaterThan(500)
  })

  it('divides its level among the kinds that competed on held-out rows, and says that cross-fitting has no proof', () => {
    const rows = rowsAt(0.99, 45, 0)
    expect(certify(rows, { risk, basis: 'held_out', kinds: 1 }).status).to.equal('certified')
    expect(certify(rows, { risk, basis: 'held_out', kinds: 2 }).status).to.equal('not_certifiable')
    const crossed = certify(rows, { risk, basis: 'cross_fit', kinds: 2 })
    expect(crossed.status).to.equal('certified')
    expect(crossed.statement).to.include('no proof')
  })

  it('breaks its promise in at most a tenth of drawn calibrations', () => {
    const random = createRandom(1, 'certificate')
    const draw = (): CalibrationRow => {
      const confidence = Number((1 - random.float() ** 3).toFixed(6))
      return { confidence, correct: random.float() < Math.min(0.99, confidence + 0.02), abstained: false }
    }
    const population = Array.from({ length: 50_000 }, draw)
    const whole = riskCurve(population)
    let violated = 0
    for (let i = 0; i < 1000; i++) {
      const { threshold } = certify(Array.from({ length: 250 }, draw), { risk, ...HELD_OUT })
      const point = whole.find((one) => one.threshold === threshold)
      if (point !== undefined && point.wrong > point.answered * 0.05) violated++
    }
    expect(violated).to.be.at.most(130)
  })
})
