import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { readDataset } from '../../../core/compile/rows/intake/dataset.ts'
import { inputOfExample, type Example } from '../../../core/compile/rows/intake/example.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { HoldoutRow } from '../../../core/learn/holdout/parse-rows.ts'
import { rowKeys } from '../../../core/learn/holdout/row-key.ts'
import { findJob } from '../../compile/jobs/find-job.ts'
import { readBlob } from '../../kernel/blobs/read-blob.ts'
import type { Operation } from '../../kernel/operation.ts'
import { serviceKey } from '../../kernel/secrets/service-secrets.ts'
import { inAllNamespaces } from '../../kernel/transaction.ts'
import { rekeyHoldouts } from '../holdouts/rekey-holdouts.ts'

/** The rows among some that an artifact learned from. */
export interface LearnedRows {
  readonly examples: 'kept' | 'not_kept'
  /** Keys in hexadecimal. */
  readonly keys: ReadonlySet<string>
}

/** Examples that are hashed in one turn of the event loop. */
const BATCH = 500

/**
 * Returns the rows, by their keys, that an artifact learned from: those of its compile, whatever their kind, and those of the
 * adapters that its distillation continued or asked, and so on. Rows marked `test` are not learned from. `not_kept` where
 * the examples of one of these compiles are gone.
 */
export async function learnedRows(
  op: Operation,
  artifactId: string,
  wanted: ReadonlySet<string>,
): Promise<LearnedRows> {
  const { secret } = await serviceKey(op.db, 'fingerprint', op.db)
  const datasets = await datasetsBehind(op, artifactId)
  const keys = new Set<string>()
  let count = 0
  for (const digest of new Set(datasets)) {
    if (digest === null) continue
    for await (const example of readDataset(readBlob(op.db, digest))) {
      if (isLearned(example)) {
        for (const each of rowKeys(secret, op.tenantId, inputOfExample(example))) {
          const key = each.toString('hex')
          if (wanted.has(key)) keys.add(key)
        }
      }
      if (++count % BATCH === 0) await turn()
    }
  }
  return { examples: datasets.includes(null) ? 'not_kept' : 'kept', keys }
}

/** Returns the datasets of a compile and of all whose adapters it continued or asked; null for each that is gone. */
async function datasetsBehind(op: Operation, artifactId: string): Promise<readonly (Sha256 | null)[]> {
  return await op.write(async (tx) =>
    inAllNamespaces(tx, 'an adapter may continue one of another namespace', async () => {
      const seen = new Set([artifactId])
      const datasets: (Sha256 | null)[] = []
      // A Set is walked in insertion order, including members added during the walk.
      for (const id of seen) {
        const [job] = await tx.q
          .selectFrom('compile_jobs')
          .select([
            'dataset_sha256 as dataset',
            sql<string | null>`spec -> 'distil' -> 'student' ->> 'artifact_id'`.as('student'),
            sql<string | null>`spec -> 'distil' -> 'teacher' ->> 'artifact_id'`.as('teacher'),
          ])
          .where('id', '=', id)
          .where('tenant_id', '=', op.tenantId)
          .execute()
        datasets.push(job?.dataset ? digestOf(job.dataset) : null)
        for (const source of [job?.student, job?.teacher]) if (source) seen.add(source)
      }
      return datasets
    }),
  )
}

/**
 * Returns the rows of an artifact's compile that are marked `test`. Throws `rows_expired`, which says by which field the caller
 * named the artifact, when they are not kept.
 */
export async function testRows(
  op: Operation,
  { artifactId, field }: { readonly artifactId: string; readonly field: string },
): Promise<readonly HoldoutRow[]> {
  const digest = await datasetOf(op, artifactId)
  if (digest === null) throw COMPILE_ERRORS.rows_expired(`${field}: the rows of this compile are no longer kept`)
  const rows: HoldoutRow[] = []
  for await (const example of readDataset(readBlob(op.db, digest))) {
    if (example.kind === 'positive' && example.row.kind === 'test') {
      rows.push({ input: example.row.input, output: example.row.output })
    }
  }
  return rows
}

/** Returns the keys of the rows of a holdout, in hexadecimal. */
export async function holdoutKeys(op: Operation, holdoutId: string): Promise<ReadonlySet<string>> {
  await rekeyHoldouts(op)
  const rows = await op.read((q) =>
    q
      .selectFrom('holdout_rows')
      .select('row_key as key')
      .where('corpus_id', '=', holdoutId)
      .where('tenant_id', '=', op.tenantId),
  )
  return new Set(rows.map(({ key }) => key.toString('hex')))
}

async function datasetOf(op: Operation, artifactId: string): Promise<Sha256 | null> {
  const { datasetSha256 } = await findJob(op, artifactId)
  return datasetSha256 === null || datasetSha256 === undefined ? null : digestOf(datasetSha256)
}

function digestOf(text: string): Sha256 {
  return `sha256:${text.slice('sha256:'.length)}`
}

function isLearned(example: Example): boolean {
  return example.kind !== 'positive' || example.row.kind !== 'test'
}
