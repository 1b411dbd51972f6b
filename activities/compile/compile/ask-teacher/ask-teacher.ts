import { taskEquality } from '../../../../core/compile/rows/equality/task-equality.ts'
import type { SampleOutput } from '../../../../core/compile/stages/stage-types.ts'
import type { Teacher } from '../../../../core/compile/stages/teacher/teacher.ts'
import type { TeacherPlan } from '../../../../core/compile/stages/teacher/teacher-types.ts'
import { rowsAt } from '../../../../core/compile/stages/teacher/show-rows.ts'
import type { KnownPrices } from '../../../../core/gateway/providers/prices.ts'
import { findJob } from '../../../../db/compile/jobs/find-job.ts'
import { endRound, findRound } from '../../../../db/compile/progress/teacher-samples/rounds.ts'
import type { RoundEnding } from '../../../../db/compile/progress/teacher-samples/teacher-round.ts'
import { listSamples } from '../../../../db/compile/progress/teacher-samples/samples.ts'
import { apartOf } from '../../../../core/compile/stages/sample/apart-of.ts'
import { inSlot } from '../../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../../kernel/run-activity.ts'
import { operationOf, type CompileDeps } from '../deps.ts'
import type { AskSummary, JobRef } from '../results.ts'
import { endWhenHopeless } from '../run-stage.ts'
import { loadDraft, loadRows } from '../stage-data.ts'
import { watchProgress } from '../watch-progress.ts'
import { askLabels } from './ask-labels.ts'
import { askPrograms } from './ask-programs.ts'
import { createBuyer, type Buyer } from './buyer.ts'
import { groundTeacher } from './ground-teacher.ts'

/** Attempts after which a provider with transient failures is given up: the compile continues without it. */
const GIVE_UP_AT_ATTEMPT = 6

/**
 * Asks the teacher for the open parts of the `k-sample` plan. Safe to repeat: every sample is recorded on arrival, so
 * an attempt after a killed worker pays only for missing samples. A teacher that does not answer, or refuses its key,
 * never ends a job: the samples received so far are used.
 */
export async function askTeacher(deps: CompileDeps, ref: JobRef): Promise<AskSummary> {
  return await runActivity(
    deps.log,
    async (activity) => {
      try {
        const round = await findRound(operationOf(deps, ref), ref.jobId)
        if (round !== null && round.endedAt === null) {
          const ending = await askRound(deps, ref, activity)
          await endRound(operationOf(deps, ref), { jobId: ref.jobId, ending, now: deps.now() })
        }
        return await summarize(deps, ref)
      } catch (error) {
        if (!activity.signal.aborted) await endWhenHopeless(deps, ref, error)
        throw error
      }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

async function askRound(deps: CompileDeps, ref: JobRef, activity: RunningActivity): Promise<RoundEnding> {
  const { teacher } = deps
  const prices = teacher?.identity.prices ?? null
  if (teacher === null || prices === null) return { stopped: 'provider_failed', failure: 'no_teacher_configured' }
  const draft = await loadDraft(deps, ref)
  if (draft.teacherPlan === null) return { stopped: null, failure: null }
  return await askPlan(deps, ref, activity, { teacher, prices, draft, plan: draft.teacherPlan })
}

interface Round {
  readonly teacher: Teacher
  readonly prices: KnownPrices
  readonly draft: SampleOutput
  readonly plan: TeacherPlan
}

async function askPlan(
  deps: CompileDeps,
  ref: JobRef,
  activity: RunningActivity,
  { teacher, prices, draft, plan }: Round,
): Promise<RoundEnding> {
  const job = await findJob(operationOf(deps, ref), ref.jobId)
  const { rows, unlabelled } = await loadRows(deps, job)
  const watch = watchProgress(deps, ref, 'k-sample', activity)
  const owned = await listSamples(operationOf(deps, ref), ref.jobId)
  const total = countPlanned(plan)
  let done = owned.length
  const report = (): void =>
    watch.onProgress({
      stage: 'k-sample',
      step: `ask the teacher: ${done} samples`,
      done: Math.min(done, total),
      total,
    })
  report()
  const buyer: Buyer = createBuyer({
    op: operationOf(deps, ref),
    teacher,
    prices,
    jobId: ref.jobId,
    owned,
    signal: watch.signal,
    isLastAttempt: activity.attempt >= GIVE_UP_AT_ATTEMPT,
    now: deps.now,
    onSample: () => {
      done++
      report()
    },
  })
  const { maxOutputTokens } = teacher.identity.settings
  const { ground, facts } = groundTeacher(deps, operationOf(deps, ref), {
    spec: job.spec,
    evaluated: rowsAt(rows, apartOf(draft, rows)?.holdout ?? []),
  })
  const common = { task: job.task, rows, maxOutputTokens, buyer, ground }
  const tryPrograms = async (input: Parameters<typeof deps.pool.tryPrograms>[0]) =>
    await inSlot(
      deps,
      { lane: 'short', work: ref },
      activity,
      async ({ signal, progress }) =>
        await deps.pool.tryPrograms(input, {
          signal: AbortSignal.any([signal, watch.signal]),
          onProgress: progress,
        }),
    )
  const equality = draft.equality ?? taskEquality(rows, draft.split)
  const asked = plan.programs.map(async (question) => await askPrograms({ ...common, equality, tryPrograms }, question))
  const ends = await Promise.allSettled(asked)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  const seen = apartOf(draft, rows)?.train ?? []
  if (plan.labels !== null) await askLabels({ ...common, train: seen, unlabelled }, plan.labels)
  const grounding = facts()
  return { ...buyer.ending(), ...(grounding !== null && { grounding }) }
}

/** Returns the number of samples in a plan, without repairs. */
function countPlanned({ programs, labels }: TeacherPlan): number {
  const ofPrograms = programs.reduce((sum, { samples }) => sum + samples, 0)
  return ofPrograms + (labels === null ? 0 : labels.inputs.length * labels.samples)
}

async function summarize(deps: CompileDeps, ref: JobRef): Promise<AskSummary> {
  const samples = await listSamples(operationOf(deps, ref), ref.jobId)
  const round = await findRound(operationOf(deps, ref), ref.jobId)
  return {
    samples: samples.length,
    bought: samples.filter(({ isReused }) => !isReused).length,
    costUsdMicros: samples.reduce((sum, { costUsdMicros }) => sum + costUsdMicros, 0),
    stopped: round?.ending?.failure ?? round?.ending?.stopped ?? null,
  }
}
