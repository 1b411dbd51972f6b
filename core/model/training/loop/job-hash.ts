import { createHash, type Hash } from 'node:crypto'
import { canonicalJson, type Json, type Sha256 } from '../../../kernel/json/json.ts'
import { unitOf, type FitRow } from '../rows.ts'

/**
 * The hash of rows in their order: ids, weights and tokens. Rows that differ in any of them train a different adapter.
 */
export function hashRows(rows: readonly FitRow[]): Sha256 {
  const hash = createHash('sha256')
  addRows(hash, rows)
  return `sha256:${hash.digest('hex')}`
}

/** Returns the hash of all inputs that determine a job's result, except threads and machine. */
export function hashJob(job: {
  /** Identifies the initial weights. */
  readonly base: string
  /** Identifies the adapter that the job continues from, if there is one. */
  readonly start?: string
  /** Identifies the teacher of an objective that has one. */
  readonly teacher?: string
  readonly settings: Json
  readonly rows: readonly FitRow[]
  readonly validation: readonly FitRow[]
}): Sha256 {
  const hash = createHash('sha256')
  hash.update(`${job.base}\n${canonicalJson(job.settings)}\n`)
  if (job.start !== undefined) hash.update(`from ${job.start}\n`)
  if (job.teacher !== undefined) hash.update(`taught by ${job.teacher}\n`)
  addRows(hash, job.rows)
  addRows(hash, job.validation)
  return `sha256:${hash.digest('hex')}`
}

function addRows(hash: Hash, rows: readonly FitRow[]): void {
  hash.update(`${rows.length} rows\n`)
  for (const row of rows) {
    const { sequences, isDesirable } = unitOf(row)
    hash.update(canonicalJson([row.id, row.weight, isDesirable, sequences.length]))
    for (const { prompt, answer, teacher } of sequences) {
      hash.update(Int32Array.from([prompt.length, answer.length]))
      hash.update(Int32Array.from(prompt))
      hash.update(Int32Array.from(answer))
      if (teacher === undefined) continue
      hash.update(Int32Array.from([teacher.k, ...(teacher.ids === null ? [] : Array.from(teacher.ids))]))
      hash.update(Float64Array.from(teacher.logProbs))
    }
  }
}
