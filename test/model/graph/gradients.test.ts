import { expect } from 'chai'
import fc from 'fast-check'
import { elementCount, GraphBuilder } from '../../../core/model/graph/builder.ts'
import { gradients } from '../../../core/model/graph/gradients.ts'
import { add, div, log, max, mul, neg, sigmoid, sub } from '../../../core/model/graph/ops/elementwise.ts'
import { gather } from '../../../core/model/graph/ops/indexing.ts'
import { concat, expand, insertAxis, reshape, split, transpose } from '../../../core/model/graph/ops/layout.ts'
import { loraLinear } from '../../../core/model/graph/ops/lora-linear.ts'
import { gemm, matmul } from '../../../core/model/graph/ops/products.ts'
import { reduceSum, softmax } from '../../../core/model/graph/ops/reductions.ts'
import { swiGlu } from '../../../core/model/graph/ops/swiglu.ts'
import { tokenLogProbs } from '../../../core/model/graph/ops/token-log-probs.ts'
import { rmsNorm, rotaryEmbedding } from '../../../core/model/graph/ops/transformer.ts'
import type { Value } from '../../../core/model/graph/value.ts'
import { type Numbers, runGraph } from './run-graph.ts'

type Build = (g: GraphBuilder, x: readonly Value[]) => Value

interface RuleCase {
  readonly name: string
  readonly shapes: readonly (readonly number[])[]
  readonly build: Build
  /** Numbers that an operator can take; −1.5 … 1.5 unless said. */
  readonly range?: readonly [number, number]
}

const at = (values: readonly Value[], index: number): Value => {
  const value = values[index]
  if (value === undefined) throw new Error(`No value ${index}`)
  return value
}

const binary =
  (operator: (g: GraphBuilder, a: Value, b: Value) => Value): Build =>
  (g, x) =>
    operator(g, at(x, 0), at(x, 1))
const unary =
  (operator: (g: GraphBuilder, x: Value) => Value): Build =>
  (g, x) =>
    operator(g, at(x, 0))

const positive = [0.5, 2] as const

const cases: readonly RuleCase[] = [
  {
    name: 'a + b, b repeated along two axes',
    shapes: [
      [2, 3, 2],
      [3, 1],
    ],
    build: binary(add),
  },
  { name: 'a − b, a repeated', shapes: [[2], [3, 2]], build: binary(sub) },
  { name: 'a · b with a scalar', shapes: [[2, 3], []], build: binary(mul) },
  { name: 'a / b, b repeated', shapes: [[2, 3], [3]], build: binary(div), range: positive },
  { name: '−x', shapes: [[4]], build: unary(neg) },
  { name: 'log x', shapes: [[4]], build: unary(log), range: positive },
  { name: 'σ(x)', shapes: [[4]], build: unary(sigmoid) },
  ...[false, true].flatMap((transposeA) =>
    [false, true].map((transposeB) => ({
      name: `a${transposeA ? 'ᵀ' : ''}·b${transposeB ? 'ᵀ' : ''} with a factor, in a batch`,
      shapes: [transposeA ? [2, 3, 2] : [2, 2, 3], transposeB ? [2, 4, 3] : [2, 3, 4]],
      build: binary((g, a, b) => matmul(g, a, b, { transposeA, transposeB, alpha: 0.5 })),
    })),
  ),
  {
    name: 'a·b, b shared by the batch',
    shapes: [
      [2, 2, 3],
      [3, 2],
    ],
    build: binary(matmul),
  },
  {
    name: 'α·a·bᵀ + c, c repeated',
    shapes: [[2, 3], [4, 3], [4]],
    build: (g, x) => gemm(g, at(x, 0), at(x, 1), at(x, 2), { transposeB: true, alpha: 2 }),
  },
  { name: 'another shape', shapes: [[2, 6]], build: unary((g, x) => reshape(g, x, [3, 4])) },
  { name: 'an axis inserted', shapes: [[2, 3]], build: unary((g, x) => insertAxis(g, x, 1)) },
  { name: 'permuted axes', shapes: [[2, 3, 4]], build: unary((g, x) => transpose(g, x, [2, 0, 1])) },
  { name: 'repeated axes', shapes: [[2, 1, 3]], build: unary((g, x) => expand(g, x, [2, 4, 3])) },
  {
    name: 'joined and split parts, of which one is used',
    shapes: [
      [2, 2],
      [2, 3],
    ],
    build: binary((g, a, b) => at(split(g, concat(g, [a, b], 1), [1, 3, 1], 1), 1)),
  },
  {
    name: 'rows by number, one of them twice',
    shapes: [[4, 3]],
    build: unary((g, x) => gather(g, x, g.integers([2, 0, 2]))),
  },
  { name: 'Σ over two axes', shapes: [[2, 3, 2]], build: unary((g, x) => reduceSum(g, x, [0, 2], false)) },
  { name: 'softmax', shapes: [[2, 4]], build: unary(softmax) },
  {
    name: 'root-mean-square norm',
    shapes: [[2, 3, 4], [4]],
    build: binary((g, x, weight) => rmsNorm(g, x, weight, 0.5)[0]),
  },
  {
    name: 'rotation by position',
    shapes: [[1, 3, 8]],
    build: unary((g, x) => {
      const angles = [0, 0, 0.8, 0.1, 1.6, 0.2]
      const table = (of: (angle: number) => number): Value => g.floats(Float32Array.from(angles, of), [3, 2])
      const positions = reshape(g, g.integers([2, 0, 1]), [1, 3])
      return rotaryEmbedding(g, x, positions, table(Math.cos), table(Math.sin))
    }),
  },
  {
    name: 'silu(a)·b',
    shapes: [
      [2, 3],
      [2, 3],
    ],
    build: binary(swiGlu),
  },
  {
    name: 'x·(W + s·B·A)ᵀ + bias',
    shapes: [[3, 4], [2, 4], [5, 2], [5]],
    build: (g, x) => {
      const weight = g.floats(
        Float32Array.from({ length: 20 }, (_, i) => Math.sin(i)),
        [5, 4],
      )
      return loraLinear(g, at(x, 0), weight, { a: at(x, 1), b: at(x, 2), scale: 1.5 }, at(x, 3))
    },
  },
  {
    name: 'log-probabilities of targets, two of them equal',
    shapes: [
      [3, 2],
      [5, 2],
    ],
    build: binary((g, h, head) => tokenLogProbs(g, h, head, g.integers([4, 1, 4]))),
  },
]

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
  for (const rule of cases) {
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
