import { taskEquality } from '../../../../core/compile/rows/equality/task-equality.ts'
import { inferEquality } from '../../../../core/compile/rows/equality/infer-equality.ts'
import { failedAdapter } from '../../../../core/compile/stages/lora/adapter-report.ts'
import { withoutAdapter, type ApartRows } from '../../../../core/compile/stages/lora/judge-adapter.ts'
import { isFittedElsewhere, readChoices } from '../../../../core/compile/stages/lora/lora-options.ts'
import type { NegativeExample } from '../../../../core/compile/rows/intake/example.ts'
import { apartOf } from '../../../../core/compile/stages/sample/apart-of.ts'
import type { Verdict } from '../../../../core/compile/stages/judge/verdict.ts'
import { skippedCost } from '../../../../core/compile/stages/clock/stage-clock.ts'
import type { AdapterReport } from '../../../../core/compile/stages/lora/adapter-evidence.ts'
import type { SampleOutput } from '../../../../core/compile/stages/stage-types.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import { type ErrorCode, ERROR_CODES } from '../../../../core/errors.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { isJsonObject, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { appendEvent } from '../../../../db/compile/progress/events/append-event.ts'
import type { CompileJob } from '../../../../db/compile/jobs/compile-job.ts'
import { findTrainingRecords, releaseTraining } from '../../../../db/compile/progress/training/training-records.ts'
import { findRental } from '../../../../db/compile/rentals/find-rental.ts'
import type { HeldSlot } from '../../../compute-slot.ts'
import type { RunningActivity } from '../../../kernel/run-activity.ts'
import { type CompileDeps, operationOf } from '../deps.ts'
import { runStage, type StageRecord } from '../run-stage.ts'
import { AdapterSummary, type FittedJob } from '../results.ts'
import { keepOutput, keepVerdict, loadRows, loadSample, loadVerified, plainCost, storedCost } from '../stage-data.ts'
import { loadPlan, type FitPlan } from './fit-plan.ts'
import { askFold, askShipped, type Turns } from './ask-adapter.ts'
import { nameFiles } from './fit-files.ts'
import { summarizePlan, verdictMetric } from './summarize-verdict.ts'
import { trainingEvidence } from './training-evidence.ts'

/** Number of cut row ids that a report lists. */
const NAMED_ROWS = 50

/**
 * Runs the fitted adapter on the held-out rows and judges it with the earlier kinds: the end of `lora-fit`. A failed
 * fit fails the job when an adapter was requested; otherwise the result of `verify` stands, with the reason. Throws
 * `base_mismatch`, `base_not_installed`, `invalid_adapter`.
 */
export async function judgeAdapter(deps: CompileDeps, ref: FittedJob): Promise<AdapterSummary> {
  // Giving up needs no generator, and so no turn among the fits.
  const lane = ref.failure === null ? 'long' : 'short'
  const summary = await runStage(
    deps,
    ref,
    'lora-fit',
    { schema: AdapterSummary, lane },
    async (job, activity, slot) => {
      const plan = await loadPlan(deps, ref)
      if (plan === null) throw KERNEL_ERRORS.internal('an adapter was judged before it was planned')
      const verified = await loadVerified(deps, ref)
      if (ref.failure !== null) return await giveUp(deps, { ref, plan, verified }, ref.failure)
      return await judge(deps, { ref, plan, verified, job, activity, slot })
    },
  )
  // Files that a crash leaves here are removed when the job ends.
  await releaseTraining(operationOf(deps, ref), ref.jobId)
  return summary
}

interface Facts {
  readonly ref: FittedJob
  readonly plan: FitPlan
  readonly verified: Verdict
}

/** Ends the stage without an adapter, or fails the job when one was requested. */
async function giveUp(
  deps: CompileDeps,
  { ref, plan, verified }: Facts,
  code: ErrorCode,
): Promise<StageRecord<AdapterSummary>> {
  const startedAt = performance.now()
  const { reason, details } = await failureOf(deps, ref, plan, code)
  const body = { step: 'lora-fit', code, message: reason, ...(details === null ? {} : { details }) }
  if (plan.isAskedFor) {
    await appendEvent(operationOf(deps, ref), { jobId: ref.jobId, kind: 'log', body, now: deps.now() })
    throw ERROR_CODES[code](reason)
  }
  const report = failedAdapter(code, reason, {
    base: plan.recipe.base,
    trainer: plan.trainer,
    ...truncationOf(plan),
    teacher_rows: plan.rows.teacher,
  })
  const verdict = withoutAdapter(verified, report, skippedCost('lora-fit', reason))
  return {
    outcome: 'failed',
    result: { ...summarizePlan(plan, verdict), status: 'failed', code },
    facts: { reason },
    blobSha256: await keepOutput(deps, verdict),
    cost: plainCost(startedAt),
    events: [{ kind: 'log', body }],
  }
}

interface FitFailure {
  readonly reason: string
  /** Details of the error: for a fit that diverged, the step and the rows of its batch. */
  readonly details: JsonObject | null
}

async function failureOf(deps: CompileDeps, ref: FittedJob, plan: FitPlan, code: ErrorCode): Promise<FitFailure> {
  const failed = plan.fits[ref.fits.length]
  if (failed !== undefined) {
    const records = await findTrainingRecords(operationOf(deps, ref), { jobId: ref.jobId, fit: failed.inputSha256 })
    const facts = records.get('failure')?.facts
    if (isJsonObject(facts) && facts['code'] === code && typeof facts['message'] === 'string') {
      const { message, details } = facts
      return { reason: message, details: isJsonObject(details) ? details : null }
    }
  }
  return { reason: `the trainer \`${plan.trainer}\` gave up: ${code}`, details: null }
}

async function judge(
  deps: CompileDeps,
  facts: Facts & { readonly job: CompileJob; readonly activity: RunningActivity; readonly slot: HeldSlot },
): Promise<StageRecord<AdapterSummary>> {
  const { ref, plan, verified, job, activity, slot } = facts
  const startedAt = performance.now()
  const turns = countWaits(slot)
  await nameFiles(deps, ref, plan, ref.fits)
  const { rows, negatives, unlabelled } = await loadRows(deps, job)
  const sample = await loadSample(deps, ref)
  // Plans of versions before cross-fitting have folds, and are judged by the split of their verdict.
  const isFolded = plan.fits.length > 1
  const apart = isFolded ? null : apartRows(sample, rows, negatives)
  const equality =
    apart === null
      ? (verified.equality ??
        inferEquality(
          rows.map(({ output }) => output),
          [],
        ))
      : taskEquality(rows, apart.split, readChoices(job.spec).tolerances)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const held = (ids: readonly string[]): readonly Row[] => ids.flatMap((id) => byId.get(id) ?? [])
  const { judgement, evaluated } = await deps.generators.use(plan.recipe.base.name, async (open) => {
    const asking = { deps, plan, equality, open, activity, turns }
    const folds = []
    for (const [place, fit] of plan.fits.slice(0, -1).entries()) {
      folds.push(...(await askFold(asking, ref.fits[place], held(fit.heldIds))))
    }
    // A fold holds every fifth row; an archive lists rows in the order of the split.
    const placeOf = new Map(rows.map(({ id }, place) => [id, place]))
    folds.sort((one, other) => (placeOf.get(one.row.id) ?? 0) - (placeOf.get(other.row.id) ?? 0))
    const last = plan.fits.at(-1)
    const ownRows = isFolded ? folds.map(({ row }) => row) : held(last?.heldIds ?? [])
    const shipped = await askShipped(asking, ref.fits.at(-1), {
      evaluated: isFolded ? [] : ownRows,
      timed: ownRows,
      inner: held(last?.validationIds ?? []),
    })
    const answers = isFolded ? folds.map(({ answer }) => answer) : shipped.answers
    return { judgement: { ...shipped, answers }, evaluated: ownRows }
  })
  const wallMs = Math.round(performance.now() - startedAt - turns.waitedMs())
  const { evidence, cost } = trainingEvidence({
    plan,
    fits: ref.fits,
    training: judgement.training,
    trainHash: (apart ?? verified).split.provenance.train_hash,
    wallMs,
  })
  const input = {
    verdict: verified,
    equality,
    choices: readChoices(job.spec),
    data: judgement.data,
    given: { rows, unlabelled, posterior: sample.posterior },
    rows: evaluated,
    answers: judgement.answers,
    latency: judgement.latency,
    innerEvidence: judgement.innerEvidence,
    evidence: { ...evidence, report: { ...evidence.report, ...truncationOf(plan) } },
    cost,
    apart,
  }
  const verdict = await deps.pool.judgeAdapter(input, { signal: activity.signal })
  return {
    outcome: 'done',
    result: { ...summarizePlan(plan, verdict), status: 'fitted', steps: evidence.report.steps },
    ...(await keepVerdict(deps, verdict)),
    // A rented machine is a cost of the job; its archive states what providers of models were paid.
    cost: { ...storedCost(cost), usdMicros: isFittedElsewhere(plan.trainer) ? await costOfRental(deps, ref) : 0 },
    events: [verdictMetric('lora-fit', verdict)],
  }
}

/** The turns of a slot, and the time that was waited for them, milliseconds: it is no time of the stage. */
function countWaits(slot: HeldSlot): Turns & { readonly waitedMs: () => number } {
  let waitedMs = 0
  return {
    waitedMs: () => waitedMs,
    get turnOver() {
      return slot.turnOver
    },
    async nextTurn() {
      const startedAt = performance.now()
      await slot.nextTurn()
      waitedMs += performance.now() - startedAt
    },
  }
}

/** Returns the cost of the machines of a job, millionths of a US dollar: they are gone when its adapter is judged. */
async function costOfRental(deps: CompileDeps, ref: FittedJob): Promise<number> {
  return (await findRental(operationOf(deps, ref), ref.jobId))?.costUsdMicros ?? 0
}

/** Returns the rows that score an adapter, unless they are those that scored the kinds before it. */
function apartRows(
  sample: SampleOutput,
  rows: readonly Row[],
  negatives: readonly NegativeExample[],
): ApartRows | null {
  const split = apartOf(sample, rows)
  if (split === null || split === sample.split) return null
  const train = split.train.flatMap((place) => rows[place] ?? [])
  return { split, train, negatives, unlabelled: sample.unlabelled ?? [] }
}

function truncationOf({ truncated }: FitPlan): Pick<AdapterReport, 'truncated_rows' | 'truncated'> {
  return {
    truncated_rows: truncated.length,
    truncated: truncated.slice(0, NAMED_ROWS).map(({ id, droppedTokens }) => ({ id, dropped_tokens: droppedTokens })),
  }
}
