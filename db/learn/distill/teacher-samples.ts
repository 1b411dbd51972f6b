import type { SampleFinish } from '../../../core/gateway/providers/provider.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { storable } from '../../../core/kernel/json/storable.ts'
import { SPEND_UNKNOWN } from '../../../core/learn/distill/spend.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { lockRun } from './advance-run.ts'

/** A sample that a run has paid for. */
export interface RunSample {
  readonly rowId: string
  readonly ordinal: number
  readonly text: string
  readonly finish: SampleFinish
  /** Millionths of a dollar; 0 where it is unknown, which the manifest of the run then says. */
  readonly costMicros: number
}

/** A sample that was paid for just now. */
export interface NewRunSample extends Omit<RunSample, 'costMicros'> {
  /** Millionths of a dollar; null where the price or the use of tokens is unknown. */
  readonly costMicros: number | null
}

/** Returns the samples that a run has paid for, in the order of their rows. */
export async function listRunSamples(op: Operation, runId: string): Promise<readonly RunSample[]> {
  return await op.read((q) =>
    q
      .selectFrom('distill_samples')
      .select(['row_id as rowId', 'ordinal', 'text', 'finish', 'cost_micros as costMicros'])
      .where('run_id', '=', runId)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('row_id')
      .orderBy('ordinal'),
  )
}

/**
 * Records samples as soon as they are paid for; one that is there already stays as it is. Of texts that Postgres cannot keep
 * the form that it can is recorded. A sample of unknown cost makes what the run has spent unknown. Throws
 * `compile_cancelled` and `already_finished` for a run that is over: it keeps no samples.
 */
export async function recordRunSamples(op: Operation, runId: string, samples: readonly NewRunSample[]): Promise<void> {
  if (samples.length === 0) return
  await op.write(async (tx) => {
    const run = await lockRun(tx, op, runId)
    await tx.q
      .insertInto('distill_samples')
      .values(
        samples.map(({ rowId, ordinal, text, finish, costMicros }) => ({
          run_id: runId,
          row_id: rowId,
          ordinal,
          tenant_id: op.tenantId,
          text: storable(text),
          finish,
          cost_micros: costMicros ?? 0,
        })),
      )
      .onConflict((on) => on.doNothing())
      .execute()
    if (samples.every(({ costMicros }) => costMicros !== null)) return
    await markUnknown(tx, runId, run.manifest)
  })
}

/** Records that a run may have paid for a call that failed. Throws `compile_cancelled` and `already_finished` for a run that is over. */
export async function recordUnknownSpend(op: Operation, runId: string): Promise<void> {
  await op.write(async (tx) => {
    const { manifest } = await lockRun(tx, op, runId)
    await markUnknown(tx, runId, manifest)
  })
}

async function markUnknown(tx: Transaction, runId: string, manifest: JsonObject | null | undefined): Promise<void> {
  await tx.q
    .updateTable('distill_runs')
    .set({ manifest: json<JsonObject>({ ...manifest, ...SPEND_UNKNOWN }) })
    .where('id', '=', runId)
    .execute()
}
