import type { PreparedAdapter } from './adapter-rows.ts'

/** New tokens of one row of the cache. */
export interface RowTokens {
  readonly ids: readonly number[]
  readonly adapter: PreparedAdapter | null
  /** Which of the new tokens get logits, counted from the first one. */
  readonly logitsAt: readonly number[]
  /** Of a base with experts: the experts masked in this row, and who receives the choices of its router. */
  readonly experts?: RowExperts | undefined
}

/** Masked experts of a row, and receivers of the router's choices. */
export interface RowExperts {
  /** Masked experts by the number of their layer. */
  readonly masked: ReadonlyMap<number, readonly number[]>
  /** Receives the experts of the row's new tokens, one after another, for each sparse layer of each read. */
  readonly onChosen?: (layer: number, experts: BigInt64Array) => void
  /** Receives the router's logits, [tokens, experts]. */
  readonly onRouted?: (layer: number, logits: Float32Array) => void
}
