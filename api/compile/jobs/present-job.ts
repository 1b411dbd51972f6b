import { Tolerances } from '../../../core/compile/rows/equality/tolerance.ts'
import { usedDatasetOf } from '../../../core/compile/wire/jobs/dataset.ts'
import type { z } from 'zod'
import { endOfOpenStep, isFinal, STAGE_LABELS, statusInFull } from '../../../core/compile/rows/task.ts'
import { Figure, measured, notMeasured } from '../../../core/kernel/wire/figure.ts'
import { isFittedElsewhere } from '../../../core/compile/stages/lora/lora-options.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { findWebhook } from '../../../db/accounts/webhooks/find-webhook.ts'
import type { Artifact } from '../../../db/compile/artifacts/artifact.ts'
import { artifactHashOf } from '../../../db/compile/artifacts/artifact-hash.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { deploySubject } from '../../../db/compile/jobs/deploy-subject.ts'
import { forgottenUses } from '../../../db/compile/jobs/captures/forgotten-uses.ts'
import { findRental } from '../../../db/compile/rentals/find-rental.ts'
import { presentRental } from '../rentals/present-rental.ts'
import { jobDetails, type JobStageSummary } from '../../../db/compile/jobs/stages/job-details.ts'
import type { CompileJobSummary } from '../../../db/compile/jobs/list-jobs.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { figuresOf } from '../../../core/compile/wire/jobs/figures.ts'
import { readQuestions } from '../../../core/compile/synthesis/questions/question-choices.ts'
import { listQuestions } from '../../../db/compile/progress/questions/questions.ts'
import { presentQuestions } from './present-question.ts'
import { helpOf } from '../../../core/compile/wire/jobs/explain/help.ts'
import { learnedCapturesOf } from '../../../core/compile/wire/jobs/captures.ts'
import { productionOf } from '../../../core/compile/wire/jobs/explain/production.ts'
import { kIntervalOf } from '../../../core/compile/wire/jobs/k-interval.ts'
import { leavesOfEvaluation } from '../../../core/compile/wire/jobs/leaves.ts'
import {
  type JobSummaryView,
  type JobView,
  NotEvaluatedRows,
  type StageView,
  UnansweredView,
} from '../../../core/compile/wire/jobs/job.ts'
import { presentAcceptance } from './present-acceptance.ts'
import { presentDoubt } from './present-doubt.ts'

/** As much of a task as a list shows: one may have thousands of characters. */
const LISTED_TASK_CHARS = 200

/** A job in a list, field by field. */
export function presentJobSummary(job: CompileJobSummary): z.input<typeof JobSummaryView> {
  return {
    id: job.id,
    status: job.status,
    stage: job.stage,
    stage_label: STAGE_LABELS[job.stage],
    progress: Math.round(job.progress),
    task: job.task.slice(0, LISTED_TASK_CHARS),
    ...(job.kScore !== null && { k_score: job.kScore }),
    ...(job.sizeBytes !== null && { size_mb: megabytes(job.sizeBytes) }),
    created_at: job.createdAt.toISOString(),
  }
}

/** A job in full, with its stages and, when it is done, its artifact. */
export async function presentJob(op: Operation, job: CompileJob): Promise<z.input<typeof JobView>> {
  const mayAsk = readQuestions(job.spec).max > 0
  const [{ stages, artifact }, questions, accepted, forgotten, hook, rental] = await Promise.all([
    jobDetails(op, job),
    mayAsk ? listQuestions(op, job.id) : undefined,
    presentAcceptance(op, job),
    // A distilled adapter also has the forgotten captures of those that it continued and asked.
    learnedCapturesOf(job.spec) === undefined && job.spec['distil'] === undefined
      ? undefined
      : forgottenUses(op, job.id),
    findWebhook(op, deploySubject({ tenantId: op.tenantId, jobId: job.id })),
    isFittedElsewhere(job.spec['trainer']) ? findRental(op, job.id) : null,
  ])
  const forgottenCaptures = forgotten?.count ?? 0
  const evaluation = jsonObjectOf(job.evaluation)
  const isDone = job.status === 'ready'
  return {
    id: job.id,
    job_id: job.id,
    status: statusInFull(job.status),
    status_label: job.status,
    stage: job.stage,
    stage_label: STAGE_LABELS[job.stage],
    progress: Math.round(job.progress),
    ...(questions !== undefined && presentQuestions(questions, job)),
    task: job.task,
    base_model: job.baseModel,
    examples_n: job.rowCount,
    ...presentUnanswered(job),
    ...presentEarlierJob(job),
    ...presentDataset(job),
    ...presentCaptures(job, forgottenCaptures),
    k_score_floor: job.kScoreFloor,
    ...presentTolerances(job),
    ...(isPresent(job.kScore) && { k_score: job.kScore }),
    ...(evaluation !== undefined && presentEvaluation(evaluation, { job, artifact, forgottenCaptures })),
    ...(rental !== null && { rental: presentRental(rental, op.now()) }),
    ...(accepted !== undefined && { accepted }),
    ...(artifact !== undefined && presentJobArtifact(artifact)),
    deploy_hook_set: hook !== null,
    ...(hook !== null && { deploy_status: hook.state }),
    ...(isPresent(hook?.errorCode) && { deploy_error_code: hook.errorCode }),
    // Before its end a job may name the concept that it was asked to extend; it owns a version only afterwards.
    ...(isPresent(job.conceptId) && { concept_id: job.conceptId }),
    ...(isPresent(job.versionId) && { version_id: job.versionId }),
    cost_usd: job.costUsdMicros / 1_000_000,
    stages: stages.map((stage) => presentStage(stage, job)),
    ...(isPresent(job.errorMessage) && { error: job.errorMessage }),
    ...(isPresent(job.errorCode) && { error_code: job.errorCode }),
    created_at: job.createdAt.toISOString(),
    ...(isPresent(job.startedAt) && { started_at: job.startedAt.toISOString() }),
    ...(isPresent(job.finishedAt) && { [isDone ? 'completed_at' : 'failed_at']: job.finishedAt.toISOString() }),
  }
}

function presentUnanswered({ spec }: CompileJob): Pick<z.input<typeof JobView>, 'unanswered'> {
  const unanswered = UnansweredView.safeParse(spec['unanswered'])
  return unanswered.success ? { unanswered: unanswered.data } : {}
}

function presentTolerances({ spec }: CompileJob): Pick<z.input<typeof JobView>, 'tolerances'> {
  const tolerances = Tolerances.safeParse(spec['tolerances'])
  return tolerances.success ? { tolerances: tolerances.data } : {}
}

/** Presents the job whose examples a job compiles again. */
export function presentEarlierJob({ spec }: Pick<CompileJob, 'spec'>): Pick<z.input<typeof JobView>, 'earlier_job'> {
  const { earlier_job: earlierJob } = spec
  return typeof earlierJob === 'string' ? { earlier_job: earlierJob } : {}
}

/** Presents the version of a dataset whose rows a job compiles. */
export function presentDataset({ spec }: Pick<CompileJob, 'spec'>): Pick<z.input<typeof JobView>, 'dataset'> {
  const dataset = usedDatasetOf(spec)
  return dataset === undefined ? {} : { dataset }
}

/** Presents the captures that a job learned from. */
export function presentCaptures(
  { spec }: Pick<CompileJob, 'spec'>,
  forgotten: number,
): Pick<z.input<typeof JobView>, 'captures'> {
  const captures = learnedCapturesOf(spec)
  return captures === undefined ? {} : { captures: { ...captures, forgotten } }
}

interface EvaluatedJob {
  readonly job: CompileJob
  readonly artifact: Artifact | undefined
  readonly forgottenCaptures: number
}

function presentEvaluation(evaluation: JsonObject, { job, artifact, forgottenCaptures }: EvaluatedJob) {
  const { k_score_envelope: envelope, seed_provenance: provenance, recipe_kind: kind, teacher } = evaluation
  const source = jsonObjectOf(provenance)?.['eval_source']
  const total = evaluation['holdout_count']
  const failing = evaluation['failing_count']
  const interval = kIntervalOf(envelope ?? undefined)
  const leaves = leavesOfEvaluation(evaluation['leaves'])
  const figures = figuresOf(envelope, artifact === undefined ? undefined : megabytes(artifact.sizeBytes))
  const undecided = Figure.safeParse(evaluation['undecided'])
  const help = job.status === 'gated' ? helpOf(evaluation) : undefined
  const open = NotEvaluatedRows.safeParse(evaluation['not_evaluated'])
  return {
    ...(interval && { k_interval: interval }),
    ...(leaves && { leaves }),
    ...(isPresent(envelope) && { k_score_envelope: envelope }),
    ...(figures && { figures }),
    ...(isPresent(provenance) && { seed_provenance: provenance }),
    ...(typeof kind === 'string' && { recipe_kind: kind }),
    ...productionOf(evaluation, artifact ?? { forgottenCaptures }),
    ...(help && { what_would_help: help }),
    ...presentDoubt(evaluation),
    ...(isPresent(teacher) && { teacher }),
    ...(undecided.success && { undecided: undecided.data }),
    ...(typeof total === 'number' && {
      evals_summary: {
        total,
        source: typeof source === 'string' ? source : 'unknown',
        failing: typeof failing === 'number' ? failing : (job.failingRows?.length ?? 0),
      },
    }),
    ...(isPresent(job.failingRows) && { failing_rows: [...job.failingRows] }),
    ...(open.success && { not_evaluated: open.data }),
  }
}

function presentJobArtifact(artifact: Artifact) {
  return {
    size_mb: megabytes(artifact.sizeBytes),
    manifest: artifact.manifestHash,
    signature: artifact.signature,
    artifact_hash: artifactHashOf(artifact),
    archive_hash: artifact.archiveSha256,
    cid: artifact.cid,
    ...(isPresent(artifact.evalSetHash) && { eval_set_hash: artifact.evalSetHash }),
    artifact_id: artifact.id,
    artifact_url: `/v1/artifacts/${artifact.id}/download`,
  }
}

/** A stage that had no end of its own ended with its job. */
function presentStage(stage: JobStageSummary, job: CompileJob): z.input<typeof StageView> {
  const endedAt = stage.completedAt ?? job.finishedAt
  return {
    name: stage.stage,
    label: STAGE_LABELS[stage.stage],
    status: stage.outcome ?? (isFinal(job.status) ? endOfOpenStep(job.status) : 'running'),
    started_at: stage.startedAt.toISOString(),
    completed_at: endedAt?.toISOString() ?? null,
    attempts: stage.attempts,
    cost: stage.cost
      ? {
          duration_ms: stage.cost.durationMs,
          figures: {
            duration_ms:
              stage.outcome === 'skipped'
                ? notMeasured('the stage was skipped')
                : measured(stage.cost.durationMs, 1, 'clock of the worker'),
          },
          ...(stage.cost.cpuMs !== undefined && { cpu_ms: stage.cost.cpuMs }),
          usd: stage.cost.usdMicros / 1_000_000,
          ...(stage.cost.tokens !== undefined && { tokens: stage.cost.tokens }),
          ...(stage.cost.workUnits !== undefined && { work_units: stage.cost.workUnits }),
        }
      : null,
  }
}

/** Bytes as millions of bytes, to six decimals: small programs keep a size above zero. */
export function megabytes(bytes: number): number {
  return Math.round(bytes) / 1_000_000
}

function jsonObjectOf(value: Json | null | undefined): JsonObject | undefined {
  return isJsonObject(value ?? undefined) ? (value as JsonObject) : undefined
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined
}
