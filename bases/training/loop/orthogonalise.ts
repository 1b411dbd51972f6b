import { Tensor, type InferenceSession } from 'onnxruntime-node'
import { GraphBuilder } from '../../../core/model/graph/builder.ts'
import { add, mul } from '../../../core/model/graph/ops/elementwise.ts'
import { matmul } from '../../../core/model/graph/ops/products.ts'
import { openSession } from '../../../core/model/graph/session.ts'
import type { Value } from '../../../core/model/graph/value.ts'

const [A, B, C] = [3.4445, -4.775, 2.0315]
const ITERATIONS = 5

/** A kind of matrix: how many of them, their rows and columns. */
export interface MatrixGroup {
  readonly name: string
  readonly count: number
  readonly rows: number
  readonly columns: number
}

/**
 * Applies Newton-Schulz iterations X ← aX + (bM + cM²)X with M = XXᵀ, which take every singular value of a matrix with
 * Frobenius norm 1 to about 1 (Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024). For
 * tall matrices M = XᵀX is on the other side, so that M is always the smaller product.
 */
function newtonSchulz(g: GraphBuilder, start: Value, isTall: boolean): Value {
  let x = start
  for (let i = 0; i < ITERATIONS; i++) {
    const m = isTall ? matmul(g, x, x, { transposeA: true }) : matmul(g, x, x, { transposeB: true })
    const p = add(g, mul(g, m, g.scalar(B)), matmul(g, m, m, { alpha: C }))
    x = add(g, mul(g, x, g.scalar(A)), isTall ? matmul(g, x, p) : matmul(g, p, x))
  }
  return x
}

/** Orthogonalises all matrices of a model in one run. */
export interface Orthogonaliser {
  /** Takes and gives the matrices of each group one after the other, [count, rows, columns], each of Frobenius norm 1. */
  readonly run: (matrices: ReadonlyMap<string, Float32Array>) => Promise<ReadonlyMap<string, Float32Array>>
  readonly release: () => Promise<void>
}

/** Opens one session for the groups of a model. */
export async function openOrthogonaliser(groups: readonly MatrixGroup[], threads: number): Promise<Orthogonaliser> {
  const g = new GraphBuilder('newton-schulz')
  for (const { name, count, rows, columns } of groups) {
    g.output(`${name}.out`, newtonSchulz(g, g.input(name, 'float32', [count, rows, columns]), rows > columns))
  }
  const session: InferenceSession = await openSession(g.toBytes(), { threads })
  return {
    run: async (matrices) => {
      const feeds = groups.map(({ name, count, rows, columns }) => {
        const data = matrices.get(name)
        if (data === undefined) throw new RangeError(`no matrices for ${name}`)
        return [name, new Tensor('float32', data, [count, rows, columns])] as const
      })
      const outputs = await session.run(Object.fromEntries(feeds))
      return new Map(
        groups.map(({ name }) => {
          const data = outputs[`${name}.out`]?.data
          if (!(data instanceof Float32Array)) throw new TypeError(`${name} came back in another type`)
          return [name, data]
        }),
      )
    },
    release: async () => await session.release(),
  }
}
