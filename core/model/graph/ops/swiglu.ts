import type { GraphBuilder } from '../builder.ts'
import type { Value } from '../value.ts'
import { mul } from './elementwise.ts'

/** Gated activation silu(gate)·up with silu(x) = x·σ(x) (Shazeer 2020). Its rule is `swiGluRule`. */
export function swiGlu(g: GraphBuilder, gate: Value, up: Value): Value {
  const [y] = g.composite('SwiGlu', [gate, up], {}, () => {
    // x·σ(αx) in one pass; with α = 1 it is silu.
    const attributes = { alpha: { float: 1 } }
    const silu = g.single({ type: 'QuickGelu', inputs: [gate], attributes, microsoft: true }, gate.dtype, gate.shape)
    return [mul(g, silu, up)]
  })
  if (y === undefined) throw new Error('A gated activation has an output')
  return y
}
