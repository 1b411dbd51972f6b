import type { GraphBuilder } from '../../../core/model/graph/builder.ts'
import { negativeDivergence } from '../../../core/model/graph/ops/divergence.ts'
import { add, div, log, mul, neg, sigmoid, sub } from '../../../core/model/graph/ops/elementwise.ts'
import { gather } from '../../../core/model/graph/ops/indexing.ts'
import { concat, expand, insertAxis, reshape, split, transpose } from '../../../core/model/graph/ops/layout.ts'
import { loraLinear } from '../../../core/model/graph/ops/lora-linear.ts'
import { gemm, matmul } from '../../../core/model/graph/ops/products.ts'
import { reduceSum, softmax } from '../../../core/model/graph/ops/reductions.ts'
import { swiGlu } from '../../../core/model/graph/ops/swiglu.ts'
import { tokenLogProbs } from '../../../core/model/graph/ops/token-log-probs.ts'
import { rmsNorm, rotaryEmbedding } from '../../../core/model/graph/ops/transformer.ts'
import type { Value } from '../../../core/model/graph/value.ts'

/** A function of values, as a graph. */
export type Build = (g: GraphBuilder, x: readonly Value[]) => Value

/** An operator whose rule is held against finite differences. */
export interface RuleCase {
  readonly name: string
  readonly shapes: readonly (readonly number[])[]
  readonly build: Build
  /** Numbers that an operator can take; −1.5 … 1.5 unless said. */
  readonly range?: readonly [number, number]
}

/** The value at a place. */
export const at = (values: readonly Value[], index: number): Value => {
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

export const RULE_CASES: readonly RuleCase[] = [
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
  ...[0, 0.3, 1].flatMap((beta) => [
    {
      name: `divergence from a teacher at beta ${beta}`,
      shapes: [
        [3, 2],
        [5, 2],
      ],
      build: binary((g, h, head) => {
        const logits = g.floats(
          Float32Array.from({ length: 15 }, (_, i) => 2 * Math.sin(i)),
          [3, 5],
        )
        return negativeDivergence(g, h, head, { form: 'logits', logits }, { beta, temperature: 0.7 })
      }),
    },
    {
      name: `divergence from the two likeliest tokens of a teacher at beta ${beta}`,
      shapes: [
        [3, 2],
        [5, 2],
      ],
      build: binary((g, h, head) => {
        const ids = reshape(g, g.integers([4, 1, 0, 2, 3, 1]), [3, 2])
        const shares = [0.5, 0.3, 0.2, 0.6, 0.1, 0.3, 0.45, 0.45, 0.1]
        const logProbs = g.floats(Float32Array.from(shares, Math.log), [3, 3])
        return negativeDivergence(g, h, head, { form: 'top', ids, logProbs }, { beta, temperature: 1 })
      }),
    },
  ]),
]
