import type { SampleOutcome, TeacherSample } from '../../../../core/compile/stages/teacher/teacher-types.ts'
import type { Sha256 } from '../../../../core/kernel/json/json.ts'
import { storable } from '../../../../core/kernel/json/storable.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'
import { list, unnest } from '../../../kernel/queries/typed.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { settleSpending } from './rounds.ts'

/** A sample to record. */
export interface NewTeacherSample extends TeacherSample {
  readonly requestHash: Sha256
}

const COLUMNS = [
  'question',
  'ordinal',
  'text',
  'finish',
  'model',
  'input_tokens as inputTokens',
  'cached_tokens as cachedTokens',
  'output_tokens as outputTokens',
  'cost_usd_micros as costUsdMicros',
  'latency_ms as latencyMs',
  'attempts',
  'is_reused as isReused',
] as const

/**
 * Records the samples of one call and settles its reservation. Of two calls for the same sample the first stands; the
 * money of both is counted, since both were paid.
 */
export async function recordSamples(
  op: TenantAccess,
  input: {
    readonly jobId: string
    readonly samples: readonly NewTeacherSample[]
    readonly reservedUsdMicros: number
    readonly now: Date
  },
): Promise<void> {
  const { jobId, samples, reservedUsdMicros } = input
  await op.write(async (tx) => {
    for (const sample of samples) await insertSample(tx, { jobId, tenantId: op.tenantId, now: input.now }, sample)
    const spentUsdMicros = samples.reduce((sum, { costUsdMicros }) => sum + costUsdMicros, 0)
    if (spentUsdMicros === 0 && reservedUsdMicros === 0) return
    await settleSpending(tx, { jobId, reservedUsdMicros, spentUsdMicros })
  })
}

async function insertSample(
  tx: Transaction,
  { jobId, tenantId, now }: { readonly jobId: string; readonly tenantId: string; readonly now: Date },
  sample: NewTeacherSample,
): Promise<void> {
  await tx.q
    .insertInto('teacher_samples')
    .values({
      job_id: jobId,
      question: sample.question,
      ordinal: sample.ordinal,
      tenant_id: tenantId,
      request_hash: sample.requestHash,
      // Postgres stores no NUL in a text; the JSON in a sample never holds one.
      text: storable(sample.text),
      finish: sample.finish,
      model: sample.model,
      input_tokens: sample.inputTokens,
      cached_tokens: sample.cachedTokens,
      output_tokens: sample.outputTokens,
      cost_usd_micros: sample.costUsdMicros,
      latency_ms: sample.latencyMs,
      attempts: sample.attempts,
      is_reused: sample.isReused,
      created_at: now,
    })
    .onConflict((on) => on.columns(['job_id', 'question', 'ordinal']).doNothing())
    .execute()
}

/** Lists the samples of a job, in the order of its questions. */
export async function listSamples(op: TenantAccess, jobId: string): Promise<readonly TeacherSample[]> {
  return await op.read((q) =>
    q
      .selectFrom('teacher_samples')
      .select(COLUMNS)
      .where('tenant_id', '=', op.tenantId)
      .where('job_id', '=', jobId)
      .orderBy('question', (order) => order.collate('C'))
      .orderBy('ordinal'),
  )
}

/** Returns the tenant's earlier sample for the same request and ordinal, of any job; null when it was never asked. */
export async function findEarlierSample(
  op: TenantAccess,
  by: { readonly requestHash: Sha256; readonly ordinal: number },
): Promise<TeacherSample | null> {
  const [sample] = await op.read((q) =>
    q
      .selectFrom('teacher_samples')
      .select(COLUMNS)
      .where('tenant_id', '=', op.tenantId)
      .where('request_hash', '=', by.requestHash)
      .where('ordinal', '=', by.ordinal)
      .orderBy('created_at')
      .limit(1),
  )
  return sample ?? null
}

/** Records the outcomes of a job's samples. */
export async function recordOutcomes(
  op: TenantAccess,
  jobId: string,
  outcomes: readonly { readonly question: string; readonly ordinal: number; readonly outcome: SampleOutcome }[],
): Promise<void> {
  const decided = unnest('o', {
    question: list(
      'text',
      outcomes.map(({ question }) => question),
    ),
    ordinal: list(
      'integer',
      outcomes.map(({ ordinal }) => ordinal),
    ),
    outcome: list(
      'text',
      outcomes.map(({ outcome }) => outcome),
    ),
  })
  await op.write(
    async (tx) =>
      await tx.q
        .updateTable('teacher_samples as s')
        .from(decided)
        .set((of) => ({ outcome: of.ref('o.outcome') }))
        .where('s.job_id', '=', jobId)
        .whereRef('s.question', '=', 'o.question')
        .whereRef('s.ordinal', '=', 'o.ordinal')
        .execute(),
  )
}
