import type { NotNull } from 'kysely'
import type { Json, Sha256 } from '../../../../core/kernel/json/json.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import type { Reader } from '../../../kernel/queries/read.ts'
import type { NewBlob } from '../../../kernel/blobs/put-blob.ts'
import { appendEvents, type NewJobEvent } from '../../progress/events/append-event.ts'
import type { WorkStage } from '../../../../core/compile/rows/task.ts'
import { assertUnfinished, lockJob } from '../lock-job.ts'
import { moveStage } from './progress.ts'
import type { StageCost } from './stage-cost.ts'

/** Outcome of a stage. */
export type StageOutcome = 'done' | 'skipped' | 'failed'

/** Data of a stage for the next one. */
export interface StageResult {
  readonly stage: WorkStage
  readonly outcome: StageOutcome
  readonly result: Json
  readonly blobSha256: Sha256 | null
  readonly cost: StageCost
  readonly completedAt: Date
}

/** Record of a finished stage. */
export interface CompleteStageInput {
  readonly jobId: string
  readonly stage: WorkStage
  readonly outcome: StageOutcome
  /** Small facts; large data belongs in a blob. */
  readonly result: Json
  readonly blobSha256?: Sha256 | undefined
  /** The rows of the job with their results, when this stage scored them. */
  readonly rowsSha256?: Sha256 | undefined
  /** The bytes of these blobs that are not stored yet. */
  readonly blobs?: readonly NewBlob[] | undefined
  readonly cost: StageCost
  /** Events of the result, written with it, once. */
  readonly events?: readonly NewJobEvent[]
  /** The stage to begin with this record. */
  readonly next?: WorkStage | undefined
  readonly now: Date
}

/** A stage that was begun. */
export interface BegunStage {
  readonly stage: WorkStage
  /** The recorded result when the stage is over already: then no work is left. */
  readonly result: StageResult | null
}

/** Columns of a record. */
export const RESULT = [
  'stage',
  'outcome',
  'result',
  'blob_sha256 as blobSha256',
  'cost',
  'completed_at as completedAt',
] as const
/** Columns that every record has. */
export type Recorded = { outcome: NotNull; result: NotNull; cost: NotNull; completedAt: NotNull }

const resultOf = prepared((q, key: { readonly jobId: string; readonly stage: WorkStage }) =>
  q
    .selectFrom('job_stages')
    .select([...RESULT])
    .where('job_id', '=', key.jobId)
    .where('stage', '=', key.stage)
    .where('completed_at', 'is not', null)
    .$narrowType<Recorded>(),
)

/** Returns the recorded result of a stage; null when it is not over. */
export async function stageResult(
  from: Reader,
  { jobId, stage }: { readonly jobId: string; readonly stage: WorkStage },
): Promise<StageResult | null> {
  const [row] = await from.read(() => resultOf({ jobId, stage }))
  return row ?? null
}

/**
 * Reports the progress of a stage, `fraction` from 0 to 1, with a `progress` event. Writes nothing for a finished
 * stage. Throws `compile_cancelled` or `already_finished` when the job is final: work must stop.
 */
export async function reportProgress(
  op: TenantAccess,
  input: {
    readonly jobId: string
    readonly stage: WorkStage
    readonly fraction: number
    readonly note: string
    readonly now: Date
  },
): Promise<void> {
  const { jobId, stage, note, now } = input
  await op.write(async (tx) => {
    assertUnfinished(await lockJob(tx, jobId, op.tenantId))
    const fraction = await moveStage(tx, input)
    if (fraction === null) return
    await appendEvents(tx, jobId, [{ kind: 'progress', body: { step: stage, fraction, note } }], now)
  })
}
