import type { SampleFinish } from '../../../core/gateway/providers/provider.ts'
import type { Operation } from '../../kernel/operation.ts'

/** A sample that a run has paid for. */
export interface RunSample {
  readonly rowId: string
  readonly ordinal: number
  readonly text: string
  readonly finish: SampleFinish
  readonly costMicros: number
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

/** Records samples as soon as they are paid for; one that is there already stays as it is. */
export async function recordRunSamples(op: Operation, runId: string, samples: readonly RunSample[]): Promise<void> {
  if (samples.length === 0) return
  await op.write(async (tx) => {
    await tx.q
      .insertInto('distill_samples')
      .values(
        samples.map(({ rowId, ordinal, text, finish, costMicros }) => ({
          run_id: runId,
          row_id: rowId,
          ordinal,
          tenant_id: op.tenantId,
          text,
          finish,
          cost_micros: costMicros,
        })),
      )
      .onConflict((on) => on.doNothing())
      .execute()
  })
}
