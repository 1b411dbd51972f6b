import type { Index } from 'usearch'

/** The part of `usearch` that searches use. */
export interface Usearch {
  /** Compares all rows of 8-bit vectors with a query; returns the nearest ones, best first. */
  nearest(rows: Int8Array, query: Int8Array, dimensions: number, most: number): readonly number[]
  /** Opens a graph of neighbours (HNSW) of 8-bit vectors. */
  graph(dimensions: number): NeighbourGraph
}

/** A graph of neighbours, which finds nearly all of the nearest vectors without comparing all. */
export interface NeighbourGraph {
  add(firstRow: number, vectors: Int8Array): void
  nearest(query: Int8Array, most: number): readonly number[]
}

/** Neighbours of each vector, and candidates that are looked at when one is added and when one is searched. */
const CONNECTIVITY = 16
const EXPANSION_ADD = 128
const EXPANSION_SEARCH = 512

let loading: Promise<Usearch | null> | undefined

/** Loads the library once; null where its binary does not run on this machine. */
export async function loadUsearch(): Promise<Usearch | null> {
  loading ??= import('usearch').then(
    ({ exactSearch, Index: Graph, MetricKind, ScalarKind }) => ({
      nearest: (rows, query, dimensions, most) => rowsOf(exactSearch(rows, query, dimensions, most, MetricKind.Cos, 1)),
      graph: (dimensions) =>
        openGraph(
          new Graph({
            dimensions,
            metric: MetricKind.Cos,
            quantization: ScalarKind.I8,
            connectivity: CONNECTIVITY,
            expansion_add: EXPANSION_ADD,
            expansion_search: EXPANSION_SEARCH,
            multi: false,
          }),
          dimensions,
        ),
    }),
    () => null,
  )
  return await loading
}

function openGraph(graph: Index, dimensions: number): NeighbourGraph {
  return {
    add: (firstRow, vectors) => {
      const keys = BigUint64Array.from({ length: vectors.length / dimensions }, (_, at) => BigInt(firstRow + at))
      graph.add(keys, vectors, 1)
    },
    nearest: (query, most) => rowsOf(graph.search(query, most, 1)),
  }
}

function rowsOf(found: object): readonly number[] {
  if (!('keys' in found) || !(found.keys instanceof BigUint64Array)) throw new Error('usearch answered without keys')
  return [...found.keys].map(Number)
}
