import type { SampleOutcome, TeacherSample } from '../../../core/compile/stages/teacher/teacher-types.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Database, SqlRunner } from '../../kernel/database.ts'
import { inTransaction } from '../../kernel/transaction.ts'

/** A sample as it is written down. */
export interface NewTeacherSample extends TeacherSample {
  readonly requestHash: Sha256
}

const COLUMNS = `question, ordinal, text, finish, model, input_tokens as "inputTokens", cached_tokens as "cachedTokens",
  output_tokens as "outputTokens", cost_usd_micros as "costUsdMicros", latency_ms as "latencyMs", attempts,
  is_reused as "isReused"`

/**
 * Writes down the samples of one call and settles what was set aside for it. Of two calls for the same sample the first
 * stands; the money of both is counted, since both were paid.
 */
export async function recordSamples(
  db: Database,
  input: {
    readonly jobId: string
    readonly tenantId: string
    readonly samples: readonly NewTeacherSample[]
    readonly reservedUsdMicros: number
    readonly now: Date
  },
): Promise<void> {
  await inTransaction(db, null, async (tx) => {
    for (const sample of input.samples) await insertSample(tx, input, sample)
    const spent = input.samples.reduce((sum, { costUsdMicros }) => sum + costUsdMicros, 0)
    if (spent === 0 && input.reservedUsdMicros === 0) return
    await tx.query(
      `update teacher_rounds set reserved_usd_micros = reserved_usd_micros - $2, spent_usd_micros = spent_usd_micros + $3
       where job_id = $1`,
      [input.jobId, input.reservedUsdMicros, spent],
    )
  })
}

async function insertSample(
  tx: SqlRunner,
  { jobId, tenantId, now }: { readonly jobId: string; readonly tenantId: string; readonly now: Date },
  sample: NewTeacherSample,
): Promise<void> {
  await tx.query(
    `insert into teacher_samples (job_id, question, ordinal, tenant_id, request_hash, text, finish, model, input_tokens,
       cached_tokens, output_tokens, cost_usd_micros, latency_ms, attempts, is_reused, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     on conflict (job_id, question, ordinal) do nothing`,
    [
      jobId,
      sample.question,
      sample.ordinal,
      tenantId,
      sample.requestHash,
      // Postgres keeps no NUL in a text; JSON, which is what is looked for in it, never holds one.
      sample.text.replaceAll('\0', '\uFFFD').toWellFormed(),
      sample.finish,
      sample.model,
      sample.inputTokens,
      sample.cachedTokens,
      sample.outputTokens,
      sample.costUsdMicros,
      sample.latencyMs,
      sample.attempts,
      sample.isReused,
      now,
    ],
  )
}

/** The samples that a job has, in the order of its questions. */
export async function listSamples(db: Database, jobId: string): Promise<readonly TeacherSample[]> {
  return await db.query<TeacherSample>(
    `select ${COLUMNS} from teacher_samples where job_id = $1 order by question collate "C", ordinal`,
    [jobId],
  )
}

/** What the tenant was given before for the same request and ordinal, in whatever job; null when it was never asked. */
export async function findEarlierSample(
  db: Database,
  by: { readonly tenantId: string; readonly requestHash: Sha256; readonly ordinal: number },
): Promise<TeacherSample | null> {
  const [sample] = await db.query<TeacherSample>(
    `select ${COLUMNS} from teacher_samples
     where tenant_id = $1 and request_hash = $2 and ordinal = $3 order by created_at limit 1`,
    [by.tenantId, by.requestHash, by.ordinal],
  )
  return sample ?? null
}

/** Writes down what became of the samples of a job. */
export async function recordOutcomes(
  db: Database,
  jobId: string,
  outcomes: readonly { readonly question: string; readonly ordinal: number; readonly outcome: SampleOutcome }[],
): Promise<void> {
  await db.query(
    `update teacher_samples s set outcome = o.outcome
     from unnest($2::text[], $3::int[], $4::text[]) as o (question, ordinal, outcome)
     where s.job_id = $1 and s.question = o.question and s.ordinal = o.ordinal`,
    [
      jobId,
      outcomes.map(({ question }) => question),
      outcomes.map(({ ordinal }) => ordinal),
      outcomes.map(({ outcome }) => outcome),
    ],
  )
}
