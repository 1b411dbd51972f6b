import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { bestOfAll, bestOfRows } from './best-rows.ts'
import { loadUsearch, type NeighbourGraph } from './usearch.ts'
import { inBytes, type MatrixView } from './vector-matrix.ts'
import type { VectorTasks } from './vector-tasks.ts'

/** Rows of the first look that are compared again in full, for each one that is wanted; and of any search. */
const AGAIN_FACTOR = 10
const LEAST_AGAIN = 200

interface Grown {
  readonly graph: NeighbourGraph
  rows: number
}

const graphs = new Map<string, Grown>()

serveTasks<VectorTasks>({
  scan: async ({ matrix, query, most }) => {
    const usearch = await loadUsearch()
    const again = candidates(most)
    if (usearch === null || matrix.count <= again) {
      return { rows: bestOfAll(matrix, query, most), search: 'brute_force', hasLibrary: usearch !== null }
    }
    const { count, dimensions, small } = matrix
    const near = usearch.nearest(small.subarray(0, count * dimensions), inBytes(query), dimensions, again)
    return { rows: bestOfRows(matrix, query, near, most), search: 'brute_force', hasLibrary: true }
  },
  grow: async ({ key, matrix, toRow }) => {
    const usearch = await loadUsearch()
    if (usearch === null) return null
    const grown = graphs.get(key) ?? { graph: usearch.graph(matrix.dimensions), rows: 0 }
    graphs.set(key, grown)
    const to = Math.min(toRow, matrix.count)
    if (to > grown.rows) {
      grown.graph.add(grown.rows, rowsOf(matrix, grown.rows, to))
      grown.rows = to
    }
    return grown.rows
  },
  find: ({ key, matrix, query, most }) => {
    const grown = graphs.get(key)
    if (grown?.rows !== matrix.count) return null
    const near = grown.graph.nearest(inBytes(query), candidates(most))
    return { rows: bestOfRows(matrix, query, near, most), search: 'approximate', hasLibrary: true }
  },
  drop: ({ key }) => {
    graphs.delete(key)
    return null
  },
})

function candidates(most: number): number {
  return Math.max(LEAST_AGAIN, most * AGAIN_FACTOR)
}

function rowsOf({ small, dimensions }: MatrixView, from: number, to: number): Int8Array {
  return small.subarray(from * dimensions, to * dimensions)
}
