import type { GraphBuilder } from '../builder.ts'
import { broadcastShapes, matmulShape } from '../shapes.ts'
import type { Value } from '../value.ts'

export interface ProductOptions {
  readonly transposeA?: boolean
  readonly transposeB?: boolean
  /** Factor on the product; 1 when absent. */
  readonly alpha?: number
}

/** alpha · op(A)·op(B) over the last two axes, leading axes broadcast; op transposes where asked. */
export function matmul(g: GraphBuilder, a: Value, b: Value, options: ProductOptions = {}): Value {
  const { transposeA = false, transposeB = false, alpha = 1 } = options
  const shape = matmulShape(a.shape, b.shape, transposeA, transposeB)
  if (!transposeA && !transposeB && alpha === 1) return g.single({ type: 'MatMul', inputs: [a, b] }, a.dtype, shape)
  const attributes = {
    transA: { int: Number(transposeA) },
    transB: { int: Number(transposeB) },
    alpha: { float: alpha },
  }
  return g.single({ type: 'FusedMatMul', inputs: [a, b], attributes, microsoft: true }, a.dtype, shape)
}

/** alpha · op(A)·op(B) + C for matrices; C broadcasts to the product's shape. `late` as in `NodeSpec`. */
export function gemm(
  g: GraphBuilder,
  a: Value,
  b: Value,
  c: Value,
  options: ProductOptions & { readonly late?: boolean } = {},
): Value {
  const { transposeA = false, transposeB = false, alpha = 1, late = false } = options
  if (a.shape.length !== 2 || b.shape.length !== 2) throw new Error('Gemm takes matrices')
  const shape = broadcastShapes(matmulShape(a.shape, b.shape, transposeA, transposeB), c.shape)
  const attributes = {
    transA: { int: Number(transposeA) },
    transB: { int: Number(transposeB) },
    alpha: { float: alpha },
  }
  return g.single({ type: 'Gemm', inputs: [a, b, c], attributes, late }, a.dtype, shape)
}
