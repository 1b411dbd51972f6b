import { sql } from 'kysely'
import { BILLING_ERRORS } from '../../../core/billing/errors.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import type { RowCounts } from '../../../core/compile/runtime/batch/chunk.ts'
import { quotaOf, type QuotaTerms } from '../../../core/kernel/tenant/quota-of.ts'
import type { BatchReceipt } from '../../../core/ledger/receipts/batch-receipt.ts'
import type { ChargedTo } from '../../billing/usage/charged-to.ts'
import { dayOf, recordUsage, type UsageRow } from '../../billing/usage/record-usage.ts'
import { takeWithRecall } from '../../billing/quota/recall.ts'
import { resetsAt } from '../../../core/kernel/tenant/quota-month.ts'
import { periodOf } from '../../billing/quota/period.ts'
import { quotaExhausted } from '../../billing/quota/units.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { continuedElsewhere } from './open-batch.ts'
import type { TreeMark } from './tree-marks.ts'

/** Rows of a batch that are settled together. */
export interface SettledRows {
  /** Rows of the batch that the stream knows as settled; others refuse it. */
  readonly rowsBefore: number
  /** Rows of the batch afterwards. */
  readonly settledRows: number
  readonly counts: RowCounts
  readonly units: number
  readonly marks: readonly TreeMark[]
  /** Work of the rows. */
  readonly latencyUs: number
  readonly promptTokens: number
  readonly newTokens: number
}

/** The stream that settles rows. */
export interface SettlingStream {
  readonly batchId: string
  readonly epoch: number
  readonly payer: QuotaTerms
  readonly chargedTo: ChargedTo
  readonly limits: Limits
}

/**
 * Charges rows and records them as settled, in one transaction: a row is charged once, whatever dies. Throws
 * `quota_exhausted` when the units of all rows are not there, after it has asked other processes for theirs, and
 * `batch_continued` when another stream has the batch; then nothing is charged.
 */
export async function settleRows(op: Operation, stream: SettlingStream, rows: SettledRows): Promise<void> {
  const account = { tenantId: op.tenantId, period: periodOf(op.now()) }
  await takeWithRecall(op.db, account, async () => {
    await op.write(async (tx) => {
      await advance(tx, op, stream, rows)
      await takeUnits(tx, op, stream, rows.units)
      await recordUsage(tx, usageOf(op, stream, rows))
    })
  })
}

/** Returns the units of this month that are left to a tenant; units that processes hold uncharged are not counted. */
export async function unitsLeft(op: Operation, { payer, limits }: SettlingStream): Promise<number> {
  const period = periodOf(op.now())
  const [row] = await op.read((q) =>
    q
      .selectFrom('quota_periods')
      .select('used_units as used')
      .where('tenant_id', '=', op.tenantId)
      .where('period', '=', period),
  )
  return Math.max(0, quotaOf(payer, limits) - (row?.used ?? 0))
}

/**
 * Ends a batch, or stops it with a code. A batch that the quota stopped is kept until the quota's reset and as long as
 * others from then on. Throws `batch_continued`.
 */
export async function endBatch(
  op: Operation,
  { batchId, epoch }: Pick<SettlingStream, 'batchId' | 'epoch'>,
  end: { readonly receipt: BatchReceipt | null } | { readonly stopCode: string },
): Promise<void> {
  const isOfQuota = 'stopCode' in end && end.stopCode === BILLING_ERRORS.quota_exhausted.facts.code
  await op.write(async (tx) => {
    const ended = await tx.q
      .updateTable('run_batches')
      .set({
        ...('stopCode' in end
          ? { state: 'stopped' as const, stop_code: end.stopCode }
          : { state: 'done' as const, stop_code: null, receipt: end.receipt === null ? null : json(end.receipt) }),
        touched_at: isOfQuota ? resetsAt(op.now()) : op.now(),
      })
      .where('id', '=', batchId)
      .where('tenant_id', '=', op.tenantId)
      .where('epoch', '=', epoch)
      .returning('id')
      .execute()
    if (ended.length === 0) throw continuedElsewhere()
  })
}

async function advance(
  tx: Transaction,
  op: Operation,
  { batchId, epoch }: SettlingStream,
  { rowsBefore, settledRows, counts, units, marks }: SettledRows,
): Promise<void> {
  const advanced = await tx.q
    .updateTable('run_batches')
    .set((of) => ({
      state: 'running' as const,
      stop_code: null,
      settled_rows: settledRows,
      units: of('units', '+', units),
      answered: of('answered', '+', counts.answered),
      abstained: of('abstained', '+', counts.abstained),
      unlike: of('unlike', '+', counts.unlike),
      errors: of('errors', '+', counts.errors),
      marks: json(marks),
      touched_at: op.now(),
    }))
    .where('id', '=', batchId)
    .where('tenant_id', '=', op.tenantId)
    .where('epoch', '=', epoch)
    .where('settled_rows', '=', rowsBefore)
    .returning('id')
    .execute()
  if (advanced.length === 0) throw continuedElsewhere()
}

/** Takes units in one row update, so that any number of concurrent callers get exactly the quota. */
async function takeUnits(
  tx: Transaction,
  op: Operation,
  { payer, limits }: SettlingStream,
  units: number,
): Promise<void> {
  if (units === 0) return
  const now = op.now()
  const quota = quotaOf(payer, limits)
  const taken = await tx.q
    .insertInto('quota_periods')
    .columns(['tenant_id', 'period', 'used_units'])
    .expression(
      tx.q
        .selectNoFrom([
          sql<string>`${op.tenantId}::text`.as('tenant_id'),
          sql<string>`${periodOf(now)}::text`.as('period'),
          sql<number>`${units}::bigint`.as('used_units'),
        ])
        .where(sql<boolean>`${units}::bigint <= ${quota}::bigint`),
    )
    .onConflict((on) =>
      on
        .columns(['tenant_id', 'period'])
        .doUpdateSet({ used_units: sql<number>`quota_periods.used_units + excluded.used_units` })
        .where(sql<boolean>`quota_periods.used_units + excluded.used_units <= ${quota}::bigint`),
    )
    .returning('tenant_id')
    .execute()
  if (taken.length === 0)
    throw await quotaExhausted(tx, op.tenantId, { what: 'the rest of the batch', units, quota }, now)
}

function usageOf(op: Operation, { chargedTo }: SettlingStream, rows: SettledRows): readonly UsageRow[] {
  const { answered, abstained } = rows.counts
  const row = (unit: UsageRow['unit'], quantity: number, latencySumUs = 0): UsageRow => ({
    tenantId: op.tenantId,
    day: dayOf(op.now()),
    unit,
    namespace: chargedTo.namespace,
    teamId: chargedTo.teamId,
    memberId: chargedTo.memberId,
    quantity,
    costUsdMicros: 0,
    latencySumUs,
  })
  return [
    row('gateway_calls', answered + abstained, rows.latencyUs),
    row('quota_units', rows.units),
    row('hosted_inference', rows.promptTokens + rows.newTokens),
    row('tokens_in', rows.promptTokens),
    row('tokens_out', rows.newTokens),
  ].filter(({ quantity }) => quantity > 0)
}
