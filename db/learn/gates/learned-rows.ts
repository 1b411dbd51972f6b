import { setImmediate as turn } from 'node:timers/promises'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { readDataset } from '../../../core/compile/rows/intake/dataset.ts'
import type { Example } from '../../../core/compile/rows/intake/example.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { HoldoutRow } from '../../../core/learn/holdout/parse-rows.ts'
import { rowKey } from '../../../core/learn/holdout/row-key.ts'
import { findJob } from '../../compile/jobs/find-job.ts'
import { readBlob } from '../../kernel/blobs/read-blob.ts'
import type { Operation } from '../../kernel/operation.ts'
import { serviceKey } from '../../kernel/secrets/service-secrets.ts'

/** The rows among some that an artifact learned from. */
export interface LearnedRows {
  readonly examples: 'kept' | 'not_kept'
  /** Keys in hexadecimal. */
  readonly keys: ReadonlySet<string>
}

/** Examples that are hashed in one turn of the event loop. */
const BATCH = 500

/** Returns the rows, by their keys, that an artifact learned from; rows marked `test` are not learned from. */
export async function learnedRows(
  op: Operation,
  artifactId: string,
  wanted: ReadonlySet<string>,
): Promise<LearnedRows> {
  const digest = await datasetOf(op, artifactId)
  if (digest === null) return { examples: 'not_kept', keys: new Set() }
  const { secret } = await serviceKey(op.db, 'fingerprint', op.db)
  const keys = new Set<string>()
  let count = 0
  for await (const example of readDataset(readBlob(op.db, digest))) {
    if (isLearned(example)) {
      const key = rowKey(secret, op.tenantId, example.row.input).toString('hex')
      if (wanted.has(key)) keys.add(key)
    }
    if (++count % BATCH === 0) await turn()
  }
  return { examples: 'kept', keys }
}

/** Returns the rows of an artifact's compile that are marked `test`. Throws `rows_expired` when they are not kept. */
export async function testRows(op: Operation, artifactId: string): Promise<readonly HoldoutRow[]> {
  const digest = await datasetOf(op, artifactId)
  if (digest === null) throw COMPILE_ERRORS.rows_expired('rows_of: the rows of this compile are no longer kept')
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
  return datasetSha256 === null || datasetSha256 === undefined
    ? null
    : `sha256:${datasetSha256.slice('sha256:'.length)}`
}

function isLearned(example: Example): example is Extract<Example, { kind: 'positive' }> {
  return example.kind === 'positive' && example.row.kind !== 'test'
}
