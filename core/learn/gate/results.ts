import { createHash } from 'node:crypto'
import { canonicalJson, type Sha256 } from '../../kernel/json/json.ts'
import { macText, type MacSecret } from '../../kernel/json/mac.ts'
import { leafHash, MerkleFrontier } from '../../ledger/merkle/frontier.ts'
import type { HoldoutRow } from '../holdout/parse-rows.ts'

/** Bits of a row's result. */
export const CANDIDATE_RIGHT = 1
/** The baseline was right. */
export const BASELINE_RIGHT = 2

/** Counts of the results of rows: one byte a row, a set of the two bits. */
export interface ResultCounts {
  readonly rows: number
  /** Rows that the candidate has right. */
  readonly candidate: number
  readonly baseline: number
  /** Rows that the candidate alone has right. */
  readonly won: number
  /** Rows that the baseline alone has right. */
  readonly lost: number
}

/** Counts results. */
export function countResults(results: Uint8Array): ResultCounts {
  let [candidate, baseline, won, lost] = [0, 0, 0, 0]
  for (const bits of results) {
    if ((bits & CANDIDATE_RIGHT) !== 0) candidate++
    if ((bits & BASELINE_RIGHT) !== 0) baseline++
    if (bits === CANDIDATE_RIGHT) won++
    if (bits === BASELINE_RIGHT) lost++
  }
  return { rows: results.length, candidate, baseline, won, lost }
}

/**
 * Returns the root of the Merkle tree (RFC 6962, 2.1) over results in the order of scoring. A leaf is the HMAC-SHA256 of
 * `<place> <bits>` under a salt, so that the root of a sealed holdout confirms no guess of a result.
 */
export function resultsHash(results: Uint8Array, salt: MacSecret): Sha256 {
  const tree = new MerkleFrontier()
  for (const [place, bits] of results.entries()) tree.append(leafHash(macText(`${place} ${bits}`, salt)))
  return tree.root()
}

/** Returns the root of the Merkle tree (RFC 6962, 2.1) over rows in their order: a leaf is a row in RFC 8785. */
export function rowsRoot(rows: readonly HoldoutRow[]): Sha256 {
  const tree = new MerkleFrontier()
  for (const row of rows) tree.append(leafHash(canonicalJson({ ...row })))
  return tree.root()
}

/** Returns the digest of rows as a set: the root of the same tree over their sorted leaves, whatever order they are given in. */
export function rowsSetHash(rows: readonly HoldoutRow[]): Sha256 {
  const leaves = rows.map((row) => leafHash(canonicalJson({ ...row })))
  const tree = new MerkleFrontier()
  for (const leaf of leaves.toSorted((a, b) => a.compare(b))) tree.append(leaf)
  return tree.root()
}

/**
 * Returns the places of rows in the order in which a sequential gate scores them: by SHA-256 of a seed and the row. The seed is
 * the digest of the rows as a set, so that a gate that is repeated scores them in the same order, however they are given.
 */
export function scoringOrder(seed: string, rows: readonly HoldoutRow[]): readonly number[] {
  const hashes = rows.map((row) =>
    createHash('sha256')
      .update(`${seed}\0${canonicalJson({ ...row })}`)
      .digest('hex'),
  )
  const places = rows.map((_, place) => place)
  return places.toSorted((a, b) => ((hashes[a] ?? '') < (hashes[b] ?? '') ? -1 : 1))
}
