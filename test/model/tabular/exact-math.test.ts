import { expect } from 'chai'
import { exp, log, sigmoid, softmax } from '../../../core/model/tabular/exact-math.ts'
import { minimise } from '../../../core/model/tabular/linear/minimise.ts'

describe('exact arithmetic of the tabular learners', () => {
  it('computes exponentials and logarithms to the last digits', () => {
    for (let i = -5000; i <= 5000; i++) {
      const x = i / 7.3
      expect(Math.abs(exp(x) / Math.exp(x) - 1), `exp ${x}`).to.be.lessThan(1e-15 * (1 + Math.abs(x)))
      const y = Math.exp(x / 10)
      expect(Math.abs(log(y) - Math.log(y)), `log ${y}`).to.be.at.most(1e-15 * (1 + Math.abs(Math.log(y))))
    }
    expect(exp(0)).to.equal(1)
    expect(log(1)).to.equal(0)
    expect([exp(1e9), sigmoid(-1e9), sigmoid(1e9)].every((value) => Number.isFinite(value))).to.equal(true)
  })

  it('turns any scores into probabilities', () => {
    const scores = Float64Array.of(1e99, -1e99, 0)
    softmax(scores)
    expect([...scores]).to.deep.equal([1, exp(-700), exp(-700)])
  })

  it('minimises a badly scaled function', () => {
    const x = minimise(
      (at, slope) => {
        const [a = 0, b = 0] = at
        slope.set([2 * (a - 3), 2000 * (b + 1)])
        return (a - 3) ** 2 + 1000 * (b + 1) ** 2
      },
      new Float64Array(2),
      100,
      1e-9,
    )
    expect(x[0]).to.be.closeTo(3, 1e-8)
    expect(x[1]).to.be.closeTo(-1, 1e-8)
  })
})
