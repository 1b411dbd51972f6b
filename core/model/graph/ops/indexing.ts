import type { GraphBuilder } from '../builder.ts'
import { sameShape } from '../shapes.ts'
import type { Value } from '../value.ts'

/** Rows of `table` (axis 0) named by `indices`: shape of the indices, then the rest of the table's shape. */
export function gather(g: GraphBuilder, table: Value, indices: Value): Value {
  const shape = [...indices.shape, ...table.shape.slice(1)]
  return g.single({ type: 'Gather', inputs: [table, indices], attributes: { axis: { int: 0 } } }, table.dtype, shape)
}

/** out[i, j] = x[i, indices[i, j]] for matrices. */
export function gatherColumns(g: GraphBuilder, x: Value, indices: Value): Value {
  const attributes = { axis: { int: 1 } }
  return g.single({ type: 'GatherElements', inputs: [x, indices], attributes }, x.dtype, indices.shape)
}

/**
 * data[indices[i, j], j] += updates[i, j] for matrices, on a copy of `data`. Repeated indices add up, one after another,
 * so the result does not depend on the number of threads.
 */
export function scatterAddRows(g: GraphBuilder, data: Value, indices: Value, updates: Value): Value {
  if (!sameShape(indices.shape, updates.shape)) throw new Error('Every update needs its index')
  const attributes = { axis: { int: 0 }, reduction: { string: 'add' } }
  return g.single({ type: 'ScatterElements', inputs: [data, indices, updates], attributes }, data.dtype, data.shape)
}

/** A copy of the matrix `data` in which [i, indices[i, j]] is updates[i, j]; the indices of a row differ. */
export function scatterColumns(g: GraphBuilder, data: Value, indices: Value, updates: Value): Value {
  if (!sameShape(indices.shape, updates.shape)) throw new Error('Every update needs its index')
  const attributes = { axis: { int: 1 } }
  return g.single({ type: 'ScatterElements', inputs: [data, indices, updates], attributes }, data.dtype, data.shape)
}
