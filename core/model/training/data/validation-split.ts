import { createHash } from 'node:crypto'
import type { FitRow, TokenIds } from '../rows.ts'

/** Below this number no row is set aside: results on so few rows are mostly chance. */
const LEAST_VALIDATION_ROWS = 4

/**
 * Sets rows aside for early stopping, by the hash of their prompt: the same rows are always split the same way, in any
 * order, and answers to one prompt stay on one side. No row is set aside if there would be fewer than 4.
 */
export function splitForValidation<Row extends FitRow>(
  rows: readonly Row[],
  share: number,
  seed: number,
): { readonly train: readonly Row[]; readonly validation: readonly Row[] } {
  const most = Math.floor(rows.length * share)
  if (most < LEAST_VALIDATION_ROWS) return { train: rows, validation: [] }
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = promptHash(row.prompt, seed)
    const group = groups.get(key) ?? []
    group.push(row)
    groups.set(key, group)
  }
  const validation = new Set<Row>()
  for (const [, group] of [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (validation.size + group.length > most) continue
    for (const row of group) validation.add(row)
    if (validation.size === most) break
  }
  if (validation.size < LEAST_VALIDATION_ROWS) return { train: rows, validation: [] }
  return { train: rows.filter((row) => !validation.has(row)), validation: rows.filter((row) => validation.has(row)) }
}

function promptHash(prompt: TokenIds, seed: number): string {
  return createHash('sha256').update(`${seed}\n`).update(Int32Array.from(prompt)).digest('hex')
}
