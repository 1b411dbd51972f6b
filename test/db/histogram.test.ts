import { expect } from 'chai'
import fc from 'fast-check'
import { BUCKETS, bucketOf, percentile } from '../../db/invocations/histogram.ts'

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

  it('takes any number', () => {
    for (const odd of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(bucketOf(odd)).to.be.within(0, BUCKETS - 1)
    }
    expect(percentile([], 0.5)).to.equal(null)
  })
})
