import { z } from 'zod'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { RunAccepted } from '../../../core/learn/wire/distill/captures.ts'
import { checkpointsOf, MeasuredCheckpoint } from '../../../core/learn/wire/distill/checkpoints.ts'
import type { RunDetail, RunView } from '../../../core/learn/wire/distill/runs.ts'
import { labelsOf, showLabels, withoutNamedRows } from '../../../core/learn/distill/curate/held-out-labels.ts'
import { RUN_EVENT_KINDS, RUN_STAGES } from '../../../core/learn/distill/run.ts'
import { spentUsd } from '../../../core/learn/distill/spend.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import type { ShownRun } from '../../../db/learn/distill/find-run.ts'
import { listLastRunEvents } from '../../../db/learn/distill/run-events.ts'

/** Steps that a run shows at most. */
const SHOWN_STEPS = 1000
/** Lines of the log that its tail is cut from. */
const LOG_LINES = 200
const TAIL_BYTES = 4096
/** Stages that a run can begin, with room for those of later versions. */
const MOST_STAGES = 50

/** Shows a run. */
export function presentRun(run: ShownRun): z.input<typeof RunView> {
  const { id, counts, manifest } = run
  const hasSteps = run.stepCount > 0
  const labels = labelsOf(manifest)
  return {
    run_id: id,
    id,
    kind: run.kind,
    namespace: run.namespace,
    state: run.state,
    stage: run.stage,
    job_id: textOf(manifest, 'job_id'),
    artifact_id: textOf(manifest, 'artifact_id'),
    adapter_url: run.adapterSha256 ? `/v1/distill/runs/${id}/adapter` : null,
    unsigned_reason: run.state === 'completed' && textOf(manifest, 'artifact_id') === null ? 'no_task_holdout' : null,
    dataset_id: run.datasetId ?? null,
    dataset_version: run.datasetVersion ?? null,
    student_base: run.student ?? null,
    teacher: run.teacher ?? null,
    teacher_asked: wasAsked(run),
    pair_count: counts.train,
    counts: { ...counts },
    doubtful_held_out: labels?.status === 'checked' ? labels.doubtful : null,
    spend_usd: spentUsd(manifest, run.spendMicros),
    step_count: run.stepCount,
    loss_final: run.lossFinal ?? null,
    loss_source: run.lossFinal === null ? 'unavailable' : 'measured',
    k_final: run.kFinal ?? null,
    k_source: run.kFinal === null ? 'unavailable' : 'measured',
    telemetry_source: hasSteps || run.kFinal !== null ? 'measured' : 'unavailable',
    manifest_present: manifest !== null,
    error_code: run.errorCode ?? null,
    error: run.errorMessage ?? null,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
    poll_url: `/v1/distill/runs/${id}`,
    stream_url: `/v1/distill/runs/${id}/stream`,
  }
}

/** The manifest of a run from captures names the teacher once it was asked; a fit asks its teacher in each step. */
function wasAsked({ kind, teacher, manifest, stepCount }: ShownRun): boolean {
  if (!teacher) return false
  return kind === 'from_captures' ? manifest?.['teacher'] !== undefined : stepCount > 0
}

/** Shows a run that was just accepted. */
export function presentAcceptedRun(runId: string, namespace: string): z.input<typeof RunAccepted> {
  const url = `/v1/distill/runs/${runId}`
  return {
    run_id: runId,
    job_id: runId,
    status: 'queued',
    namespace,
    poll_url: url,
    status_url: url,
    stream_url: `${url}/stream`,
  }
}

/** Shows a run with its measured steps and the end of its log. */
export async function presentRunDetail(op: Operation, run: ShownRun): Promise<z.input<typeof RunDetail>> {
  const of = { runId: run.id }
  const steps = await listLastRunEvents(op, { ...of, kinds: ['progress'], limit: SHOWN_STEPS })
  const stages = await listLastRunEvents(op, { ...of, kinds: ['stage'], limit: MOST_STAGES })
  const lines = await listLastRunEvents(op, { ...of, kinds: RUN_EVENT_KINDS, limit: LOG_LINES })
  const log = lines.map(({ at, kind, body }) => `${at.toISOString()} ${kind} ${JSON.stringify(body)}\n`).join('')
  const { labels, others } = showLabels(await withoutForgotten(op, run))
  return {
    ...presentRun(run),
    request: { ...run.request },
    progress: steps.map(({ body, at }) => ({ step: 0, attempt: 1, ...body, ts: at.toISOString() })),
    checkpoints: checkpointsOf(steps.flatMap(({ body }) => measuredIn(body))),
    stages: stages.map(({ body, at }) => ({ stage: stageOf(body['stage']), at: at.toISOString() })),
    manifest: others,
    held_out_labels: labels,
    log_tail: Buffer.from(log).subarray(-TAIL_BYTES).toString('utf8').toWellFormed(),
  }
}

const Measured = z.object({ checkpoints: z.array(MeasuredCheckpoint) })

function measuredIn(body: JsonObject): readonly MeasuredCheckpoint[] {
  return Measured.safeParse(body).data?.checkpoints ?? []
}

/** The manifest of a run, without naming rows that were forgotten and are not erased yet. */
async function withoutForgotten(op: Operation, { manifest, datasetId }: ShownRun): Promise<JsonObject | null> {
  if (!manifest || !datasetId) return manifest ?? null
  const { captures } = await pendingForgets(op, datasetId)
  return captures.size === 0 ? manifest : withoutNamedRows(manifest, captures)
}

function textOf(of: JsonObject | null | undefined, member: string): string | null {
  const value = of?.[member]
  return typeof value === 'string' ? value : null
}

function stageOf(value: unknown): z.input<typeof RunDetail>['stage'] {
  return RUN_STAGES.find((stage) => stage === value) ?? 'queued'
}
