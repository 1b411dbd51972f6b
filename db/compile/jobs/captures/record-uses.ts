import { sql } from 'kysely'
import { GATEWAY_ERRORS } from '../../../../core/gateway/errors.ts'
import type { Transaction } from '../../../kernel/transaction.ts'

/** An example of a new job, by its id. */
export interface NamedExample {
  readonly id: string
  /** True for an example with an output to learn. */
  readonly isPositive: boolean
}

/**
 * Where the examples of a new job come from that are captures: the store of captures, a dataset, whose other rows have ids
 * of another form, or an earlier job.
 */
export interface LearnedExamples {
  readonly from: 'captures' | 'dataset' | { readonly jobId: string }
  /** The examples of the job, batch by batch; may be asked for again. */
  readonly examples: () => AsyncIterable<readonly NamedExample[]>
}

/** Numbers of examples to learn from. */
export interface RecordedUses {
  /** Examples that are captures. */
  readonly used: number
  /** Examples with an output that are none. */
  readonly others: number
}

interface Owner {
  readonly tenantId: string
  readonly jobId: string
}

/**
 * Records the captures that a new job learns from. A capture stays locked until the commit, so the caller that forgets it
 * finds the job. Throws `capture_forgotten` when one was forgotten after its example was read.
 */
export async function recordUses(
  tx: Transaction,
  owner: Owner,
  { from, examples }: LearnedExamples,
): Promise<RecordedUses> {
  let used = 0
  let others = 0
  for await (const batch of examples()) {
    const ids = batch.map(({ id }) => id)
    const recorded =
      typeof from === 'string'
        ? await recordCaptures(tx, owner, from === 'dataset' ? ids.filter(isCaptureId) : ids)
        : await copyUses(tx, owner, { earlier: from.jobId, ids })
    used += recorded.size
    others += batch.filter(({ id, isPositive }) => isPositive && !recorded.has(id)).length
  }
  return { used, others }
}

function isCaptureId(id: string): boolean {
  return id.startsWith('cap_')
}

async function recordCaptures(
  tx: Transaction,
  { tenantId, jobId }: Owner,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.q
    .with('live', (q) =>
      q
        .selectFrom('captures')
        .select(['id', 'seq', 'chain_hash'])
        .where(sql<boolean>`id = any(${[...ids]}::text[])`)
        .where('tenant_id', '=', tenantId)
        .where('forgotten_at', 'is', null)
        .forShare(),
    )
    .insertInto('compile_captures')
    .columns(['tenant_id', 'job_id', 'capture_id', 'seq', 'chain_hash'])
    .expression((q) =>
      q
        .selectFrom('live')
        .select((of) => [of.val(tenantId).as('tenant_id'), of.val(jobId).as('job_id'), 'id', 'seq', 'chain_hash']),
    )
    .returning('capture_id as id')
    .execute()
  if (rows.length < ids.length) throw forgottenMeanwhile()
  return new Set(rows.map(({ id }) => id))
}

/** The examples of an earlier job that are captures; those that a caller added under ids of their own are none. */
async function copyUses(
  tx: Transaction,
  { tenantId, jobId }: Owner,
  { earlier, ids }: { readonly earlier: string; readonly ids: readonly string[] },
): Promise<ReadonlySet<string>> {
  const named = sql<boolean>`capture_id = any(${[...ids]}::text[])`
  const rows = await tx.q
    .with('live', (q) =>
      q
        .selectFrom('compile_captures')
        .select(['capture_id', 'seq', 'chain_hash'])
        .where('tenant_id', '=', tenantId)
        .where('job_id', '=', earlier)
        .where(named)
        .where('forgotten_at', 'is', null)
        .forShare(),
    )
    .insertInto('compile_captures')
    .columns(['tenant_id', 'job_id', 'capture_id', 'seq', 'chain_hash'])
    .expression((q) =>
      q
        .selectFrom('live')
        .select((of) => [
          of.val(tenantId).as('tenant_id'),
          of.val(jobId).as('job_id'),
          'capture_id',
          'seq',
          'chain_hash',
        ]),
    )
    .returning('capture_id as id')
    .execute()
  const forgotten = await tx.q
    .selectFrom('compile_captures')
    .select('capture_id')
    .where('tenant_id', '=', tenantId)
    .where('job_id', '=', earlier)
    .where(named)
    .where('forgotten_at', 'is not', null)
    .limit(1)
    .execute()
  if (forgotten.length > 0) throw forgottenMeanwhile()
  return new Set(rows.map(({ id }) => id))
}

function forgottenMeanwhile() {
  return GATEWAY_ERRORS.capture_forgotten('a capture was forgotten while its example was read; repeat the call')
}
