import type { RowMatch } from './best-rows.ts'
import type { MatrixView } from './vector-matrix.ts'

/** Methods that find rows: comparing all, or searching a graph of neighbours. */
export type VectorSearchMethod = 'brute_force' | 'approximate'

/** A search for the vectors nearest to a query. */
export interface VectorQuery {
  readonly matrix: MatrixView
  readonly query: Float32Array
  readonly most: number
}

/** The rows that a search found, best first. */
export interface VectorMatches {
  readonly rows: readonly RowMatch[]
  readonly search: VectorSearchMethod
  /** False where the library of vectors does not load: all rows are then compared in full, by the service's own code. */
  readonly hasLibrary: boolean
}

/** The tasks of a thread that searches vectors. */
export type VectorTasks = {
  /** Compares all rows. */
  readonly scan: { readonly input: VectorQuery; readonly output: VectorMatches }
  /** Adds rows to the graph `key`, which begins with row 0. Returns the rows that it holds; null without the library. */
  readonly grow: {
    readonly input: { readonly key: string; readonly matrix: MatrixView; readonly toRow: number }
    readonly output: number | null
  }
  /** Searches the graph `key`, which holds `rows` rows; null where it does not. */
  readonly find: {
    readonly input: VectorQuery & { readonly key: string }
    readonly output: VectorMatches | null
  }
  readonly drop: { readonly input: { readonly key: string }; readonly output: null }
}
