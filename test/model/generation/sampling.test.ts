import { expect } from 'chai'
import fc from 'fast-check'
import { chooseToken, logSumExp } from '../../../core/model/generation/sampling.ts'
import { createRandom } from '../../../core/model/random.ts'

const ALL = { temperature: 1, topK: 0, topP: 1 }
const logitsOf = fc.float32Array({ minLength: 1, maxLength: 30, min: -20, max: 20, noNaN: true })

describe('chooseToken', () => {
  it('takes the likeliest token at temperature 0, the lowest of several', () => {
    const logits = Float32Array.of(1, 5, 2, 5)
    expect(chooseToken(logits, null, { ...ALL, temperature: 0 }, createRandom(1, 't')).token).to.equal(1)
    expect(chooseToken(logits, Int32Array.of(0, 2), { ...ALL, temperature: 0 }, createRandom(1, 't')).token).to.equal(2)
  })

  it('draws tokens as often as their probabilities say', () => {
    const random = createRandom(7, 't')
    const counts = [0, 0, 0]
    for (let draw = 0; draw < 3000; draw++) {
      const { token } = chooseToken(Float32Array.of(Math.log(0.5), Math.log(0.3), Math.log(0.2)), null, ALL, random)
      counts[token] = (counts[token] ?? 0) + 1
    }
    expect(counts.map((count) => count / 3000)).to.satisfy((shares: number[]) =>
      [0.5, 0.3, 0.2].every((share, index) => Math.abs(share - (shares[index] ?? 0)) < 0.04),
    )
  })

  it('keeps to the likeliest k tokens', () => {
    fc.assert(
      fc.property(logitsOf, fc.integer({ min: 1, max: 5 }), fc.nat(), (logits, topK, seed) => {
        const { token } = chooseToken(logits, null, { ...ALL, topK }, createRandom(seed, 't'))
        const better = logits.filter((logit) => logit > (logits[token] ?? 0))
        expect(better.length).to.be.lessThan(topK)
      }),
    )
  })

  it('keeps to the fewest tokens whose probabilities reach p', () => {
    fc.assert(
      fc.property(logitsOf, fc.double({ min: 0.05, max: 0.95, noNaN: true }), fc.nat(), (logits, topP, seed) => {
        const { token } = chooseToken(logits, null, { ...ALL, topP }, createRandom(seed, 't'))
        const total = logSumExp(logits)
        const better = logits.filter((logit) => logit > (logits[token] ?? 0))
        const reached = better.reduce((sum, logit) => sum + Math.exp(logit - total), 0)
        expect(reached).to.be.lessThan(topP + 1e-6)
      }),
    )
  })

  it('says the log-probability among the candidates at temperature 1, whatever the temperature was', () => {
    const logits = Float32Array.of(0, Math.log(3), 50)
    const { token, logProb } = chooseToken(
      logits,
      Int32Array.of(0, 1),
      { ...ALL, temperature: 0 },
      createRandom(1, 't'),
    )
    expect(token).to.equal(1)
    expect(logProb).to.be.closeTo(Math.log(0.75), 1e-6)
  })

  it('draws the same tokens from the same seed', () => {
    const draws = (seed: number): number[] => {
      const random = createRandom(seed, 't')
      return Array.from({ length: 20 }, () => chooseToken(new Float32Array(50), null, ALL, random).token)
    }
    expect(draws(3)).to.deep.equal(draws(3))
    expect(draws(3)).to.not.deep.equal(draws(4))
  })
})
