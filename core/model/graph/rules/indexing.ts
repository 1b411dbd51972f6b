import { elementCount, type GraphBuilder, staticDim } from '../builder.ts'
import { scatterAddRows } from '../ops/indexing.ts'
import { expand, reshape, zeros } from '../ops/layout.ts'
import type { Value } from '../value.ts'
import { firstGrad, inputAt, type VjpRule } from './rule.ts'

/** Adds row i of `rows` to row `indices[i]` of `data`; rows named twice get both. */
export function addRowsAt(g: GraphBuilder, data: Value, indices: Value, rows: Value): Value {
  const count = elementCount(indices.shape)
  const width = elementCount(data.shape.slice(1))
  const columns = expand(g, reshape(g, indices, [count, 1]), [count, width])
  const sum = scatterAddRows(
    g,
    reshape(g, data, [staticDim(data.shape[0]), width]),
    columns,
    reshape(g, rows, [count, width]),
  )
  return reshape(g, sum, data.shape)
}

/** y = table[indices]: dtable = zeros with each row of g added at its index. The indices have no gradient. */
export const gatherRule: VjpRule = (g, operation, grads) => {
  const [table, indices] = [inputAt(operation, 0), inputAt(operation, 1)]
  return [addRowsAt(g, zeros(g, table.shape), indices, firstGrad(operation, grads))]
}
