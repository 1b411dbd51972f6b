import { expect } from 'chai'
import fc from 'fast-check'
import { BOUNDS_S, BUCKETS, bucketOf, countsByBound, percentile } from '../../../db/compile/invocations/histogram.ts'

describe('latency histogram', () => {
  it('is off by less than 5 % at any percentile', () => {
    const latencies = fc.array(fc.integer({ min: 2, max: 10_000_000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(latencies, fc.double({ min: 0, max: 1, noNaN: true }), (values, p) => {
        const buckets = Array.from({ length: BUCKETS }, () => 0)
        for (const value of values) buckets[bucketOf(value)] = (buckets[bucketOf(value)] ?? 0) + 1
        const sorted = values.toSorted((a, b) => a - b)
        const exact = sorted[Math.min(Math.floor(sorted.length * p), sorted.length - 1)] ?? 0
        expect(percentile(buckets, p)).to.be.closeTo(exact, exact * 0.05 + 0.5)
      }),
    )
  })

  it('counts each call once below a bound that it does not exceed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60_000_000 }), (latencyUs) => {
        const buckets = Array.from({ length: BUCKETS }, () => 0)
        buckets[bucketOf(latencyUs)] = 3
        const counts = countsByBound(buckets)
        const place = counts.indexOf(3)
        expect(counts.filter((count) => count > 0)).to.deep.equal([3])
        const bound = BOUNDS_S[place] ?? Number.POSITIVE_INFINITY
        expect(latencyUs / 1e6).to.be.at.most(bound)
        // No more than one bound too high.
        expect(latencyUs / 1e6).to.be.at.least(place < 2 ? 0 : (BOUNDS_S[place - 2] ?? 0))
      }),
    )
  })

  it('takes any number', () => {
    for (const odd of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(bucketOf(odd)).to.be.within(0, BUCKETS - 1)
    }
    expect(percentile([], 0.5)).to.equal(null)
  })
})
