import { createHash } from 'node:crypto'
import type { FitRow, TokenIds } from '../rows.ts'

/** Fewer rows than this are all trained on: what so few say of a model is mostly chance. */
const LEAST_VALIDATION_ROWS = 4

/**
 * Sets rows aside for early stopping, by the hash of their prompt: the same rows always part the same way, whatever
 * their order, and answers to one prompt stay on one side. Nothing is set aside when that would be fewer than 4 rows.
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
