import { expect } from 'chai'
import { adjustForAny, adjustForDiscoveries } from '../../../core/kernel/statistics/adjust.ts'
import { bcaInterval } from '../../../core/kernel/statistics/bca-bootstrap.ts'
import { mcnemar } from '../../../core/kernel/statistics/mcnemar.ts'
import { clusteredError, smallestEffect, standardError } from '../../../core/kernel/statistics/means.ts'
import { normalCdf, normalQuantile } from '../../../core/kernel/statistics/normal.ts'
import { passAtK, passHatK } from '../../../core/kernel/statistics/pass-at-k.ts'
import { createPythonRandom } from '../../../core/kernel/statistics/python-random.ts'

/** Expected figures were made once with Python 3.11, SciPy 1.17.1 and statsmodels 0.15.0. */
describe('statistics', () => {
  const differences = [1, 0, 0, -1, 1, 1, 0, 0, 0, 1, 0, -1, 0, 0, 1, 0, 1, 0, 0, 0]
  const clusters = 'aaabbcccddddeefffggg'.split('')
  const expectClose = (got: readonly number[], expected: readonly number[]): void => {
    for (const [place, value] of expected.entries()) expect(got[place]).to.be.closeTo(value, 1e-12)
  }

  it("draws the numbers and samples of Python's random.Random", () => {
    const random = createPythonRandom(1234)
    expect(random.sample(10, 3)).to.deep.equal([7, 1, 0])
    expect(random.sample(200, 7)).to.deep.equal([23, 149, 8, 171, 177, 21, 25])
    expect(random.random()).to.equal(0.7664809327917963)
    const large = createPythonRandom(2 ** 40 + 5)
    expect(large.random()).to.equal(0.5043802970418443)
    expect(large.sample(500, 4)).to.deep.equal([137, 339, 474, 14])
  })

  it('equals scipy.stats.norm', () => {
    expectClose(
      [1e-10, 0.025, 0.3, 0.975].map(normalQuantile),
      [-6.361340902404056, -1.9599639845400545, -0.5244005127080409, 1.959963984540054],
    )
    expectClose(
      [-6.5, -1, 0.3, 4.2].map(normalCdf),
      [4.016000583859088e-11, 0.15865525393145707, 0.6179114221889526, 0.9999866542509841],
    )
  })

  it('equals the BCa interval of scipy.stats.bootstrap on the same resamples', () => {
    expect(bcaInterval(differences, { resamples: 2000, seed: 7 })).to.deep.equal({ low: -0.05, high: 0.45 })
    expect(bcaInterval([1, 1, 1], { resamples: 100, seed: 7 })).to.deep.equal({ low: 1, high: 1 })
  })

  it('equals standard errors of statsmodels, plain and clustered', () => {
    expect(standardError(differences)).to.be.closeTo(0.13764944032233709, 1e-15)
    expect(clusteredError(differences, clusters)).to.be.closeTo(0.09486833, 1e-8)
    expect(smallestEffect(1)).to.be.closeTo(2.8015852181129683, 1e-12)
    expect([0, 1e-17, Number.NaN].map(smallestEffect)).to.deep.equal([null, null, null])
  })

  it("equals statsmodels' corrections and SciPy's binomial test", () => {
    const pValues = [0.01, 0.04, 0.03, 0.2, 0.001]
    expectClose(adjustForAny(pValues), [0.04, 0.09, 0.09, 0.2, 0.005])
    expectClose(adjustForDiscoveries(pValues), [0.025, 0.05, 0.05, 0.2, 0.005])
    expectClose([mcnemar({ lost: 3, won: 14 }), mcnemar({ lost: 8, won: 8 })], [0.012725830078125, 1])
  })

  it('estimates pass@k as Chen et al. do, and pass^k', () => {
    expectClose([passAtK(10, 3, 1), passAtK(10, 3, 5), passAtK(5, 5, 2), passAtK(5, 0, 2)], [0.3, 11 / 12, 1, 0])
    expect(passHatK(10, 3, 2)).to.be.closeTo(0.06666666666666667, 1e-15)
  })
})
