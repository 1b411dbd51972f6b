import type { GraphBuilder } from '../builder.ts'
import type { Value } from '../value.ts'
import { gemm, matmul } from './products.ts'

/** Low-rank factors beside a frozen weight (Hu et al. 2021): ΔW = scale·B·A. */
export interface LoraFactors {
  /** [rank, in]. */
  readonly a: Value
  /** [out, rank]. */
  readonly b: Value
  /** alpha / rank. */
  readonly scale: number
}

/**
 * y = x·(W + scale·B·A)ᵀ + bias, for x [rows, in] and W [out, in]. The weight is merged once per run, which costs two
 * products and two additions over activations less than the separate form. Its rule is `loraLinearRule`.
 */
export function loraLinear(g: GraphBuilder, x: Value, weight: Value, lora: LoraFactors, bias: Value | null): Value {
  const attributes = { scale: { float: lora.scale } }
  const [y] = g.composite('LoraLinear', [x, weight, lora.a, lora.b, bias], attributes, () => {
    const merged = gemm(g, lora.b, lora.a, weight, { alpha: lora.scale, late: true })
    const product =
      bias === null ? matmul(g, x, merged, { transposeB: true }) : gemm(g, x, merged, bias, { transposeB: true })
    return [product, merged]
  })
  if (y === undefined) throw new Error('A linear map has an output')
  return y
}
