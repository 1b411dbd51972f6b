import { expect } from 'chai'
import fc from 'fast-check'
import { elementCount, GraphBuilder } from '../../../core/model/graph/builder.ts'
import { gradients } from '../../../core/model/graph/gradients.ts'
import { add, max, mul, neg } from '../../../core/model/graph/ops/elementwise.ts'
import { reshape } from '../../../core/model/graph/ops/layout.ts'
import { loraLinear } from '../../../core/model/graph/ops/lora-linear.ts'
import { matmul } from '../../../core/model/graph/ops/products.ts'
import { reduceSum, softmax } from '../../../core/model/graph/ops/reductions.ts'
import type { Value } from '../../../core/model/graph/value.ts'
import { at, type Build, RULE_CASES, type RuleCase } from './rule-cases.ts'
import { type Numbers, runGraph } from './run-graph.ts'

/** Σ yᵢ·cos(i): every element of the output has its own influence. */
function mixed(g: GraphBuilder, y: Value): Value {
  const size = elementCount(y.shape)
  const factors = g.floats(
    Float32Array.from({ length: size }, (_, index) => Math.cos(index)),
    [size],
  )
  return reduceSum(g, mul(g, reshape(g, y, [size]), factors), [0], false)
}

async function lossOf(inputs: readonly Numbers[], build: Build): Promise<number> {
  const [[loss = NaN] = []] = await runGraph(inputs, (g, x) => [mixed(g, build(g, x))])
  return loss
}

async function gradientsOf(inputs: readonly Numbers[], build: Build): Promise<readonly (readonly number[])[]> {
  return await runGraph(inputs, (g, x) => {
    const found = gradients(g, mixed(g, build(g, x)), x)
    return x.map((value) => {
      const gradient = found.get(value)
      if (gradient === undefined) throw new Error(`No gradient of ${value.name}`)
      return gradient
    })
  })
}

function inputsOf({ shapes, range: [low, high] = [-1.5, 1.5] }: RuleCase): fc.Arbitrary<readonly Numbers[]> {
  return fc.tuple(
    ...shapes.map((shape) => {
      const size = elementCount(shape)
      // Steps of 1/64: shrinking stays readable and no number is too small for a difference in float32.
      const element = fc.integer({ min: Math.ceil(low * 64), max: Math.floor(high * 64) }).map((n) => n / 64)
      return fc.array(element, { minLength: size, maxLength: size }).map((data) => ({ shape, data }))
    }),
  )
}

function nudged(inputs: readonly Numbers[], input: number, element: number, step: number): readonly Numbers[] {
  return inputs.map((each, index) =>
    index === input ? { ...each, data: each.data.with(element, (each.data[element] ?? 0) + step) } : each,
  )
}

describe('gradients', () => {
  for (const rule of RULE_CASES) {
    it(`agrees with finite differences: ${rule.name}`, async () => {
      await fc.assert(
        fc.asyncProperty(inputsOf(rule), fc.nat(), async (inputs, pick) => {
          const found = await gradientsOf(inputs, rule.build)
          for (const [input, { data }] of inputs.entries()) {
            const element = pick % data.length
            const step = 1 / 64
            const above = await lossOf(nudged(inputs, input, element, step), rule.build)
            const below = await lossOf(nudged(inputs, input, element, -step), rule.build)
            const expected = (above - below) / (2 * step)
            const tolerance = 5e-3 * Math.max(1, Math.abs(expected))
            expect(found[input]?.[element], `input ${input}, element ${element}`).to.be.closeTo(expected, tolerance)
          }
        }),
        { numRuns: 8 },
      )
    })
  }

  it('gives the larger operand of a maximum the whole gradient, and the first one ties', async () => {
    const inputs = [
      { shape: [3], data: [1, 2, 3] },
      { shape: [3], data: [2, 2, 1] },
    ]
    const [a, b] = await runGraph(inputs, (g, x) => {
      const found = gradients(g, reduceSum(g, max(g, at(x, 0), at(x, 1)), [0], false), x)
      return x.map((value) => found.get(value) ?? value)
    })
    expect(a).to.deep.equal([0, 1, 1])
    expect(b).to.deep.equal([1, 0, 0])
  })

  it('differentiates a merged low-rank update like the update beside its weight', async () => {
    const random = fc.sample(fc.array(fc.integer({ min: -64, max: 64 }), { minLength: 32, maxLength: 32 }), 1)[0] ?? []
    const numbers = random.map((n) => n / 64)
    const inputs = [
      { shape: [3, 4], data: numbers.slice(0, 12) },
      { shape: [2, 4], data: numbers.slice(12, 20) },
      { shape: [5, 2], data: numbers.slice(20, 30) },
    ]
    const frozen = Float32Array.from({ length: 20 }, (_, i) => Math.sin(i))
    const merged: Build = (g, x) =>
      loraLinear(g, at(x, 0), g.floats(frozen, [5, 4]), { a: at(x, 1), b: at(x, 2), scale: 1.5 }, null)
    const beside: Build = (g, x) => {
      const thin = matmul(g, at(x, 0), at(x, 1), { transposeB: true })
      const update = matmul(g, thin, at(x, 2), { transposeB: true, alpha: 1.5 })
      return add(g, matmul(g, at(x, 0), g.floats(frozen, [5, 4]), { transposeB: true }), update)
    }
    const expected = (await gradientsOf(inputs, beside)).flat()
    for (const [index, value] of (await gradientsOf(inputs, merged)).flat().entries()) {
      expect(value).to.be.closeTo(expected[index] ?? NaN, 1e-5)
    }
  })

  it('adds up the gradients of a value that is used more than once', async () => {
    const [[gradient] = []] = await gradientsOf([{ shape: [1], data: [3] }], (g, [x]) => {
      const value = at(
        [x].flatMap((each) => each ?? []),
        0,
      )
      return add(g, mul(g, value, value), mul(g, value, g.scalar(5)))
    })
    expect(gradient).to.be.closeTo(2 * 3 + 5, 1e-5)
  })

  it('leaves branches without a wanted value alone', () => {
    const g = new GraphBuilder()
    const [wanted, frozen] = [g.input('wanted', 'float32', [2, 2]), g.input('frozen', 'float32', [2, 2])]
    const loss = reduceSum(g, matmul(g, softmax(g, frozen), wanted), [0, 1], false)
    const before = g.tape.length
    const found = gradients(g, loss, [wanted])
    expect([...found.keys()]).to.deep.equal([wanted])
    expect(g.tape.slice(before).map(({ type }) => type)).to.not.include.members(['Softmax', 'Sub'])
    expect(g.tape.slice(before).filter(({ type }) => type.includes('MatMul'))).to.have.length(1)
  })

  it('has no entry for a value without influence', () => {
    const g = new GraphBuilder()
    const [used, unused] = [g.input('used', 'float32', []), g.input('unused', 'float32', [])]
    expect(gradients(g, neg(g, used), [used, unused]).has(unused)).to.equal(false)
  })

  it('asks for a seed when the loss is not a scalar, and for a rule', () => {
    const g = new GraphBuilder()
    const x = g.input('x', 'float32', [2])
    expect(() => gradients(g, neg(g, x), [x])).to.throw('seed')
    const odd = g.single({ type: 'Erf', inputs: [x] }, 'float32', [2])
    expect(() => gradients(g, odd, [x], x)).to.throw('Erf has no derivative')
  })
})
