import { decideFit, LORA_SKIP_REASONS } from '../../../../core/compile/stages/lora/decide-fit.ts'
import {
  isFittedElsewhere,
  readChoices,
  type CompileChoices,
} from '../../../../core/compile/stages/lora/lora-options.ts'
import { bodyFieldsOf, type BodyFields } from '../../../../core/compile/stages/rentals/body-fields.ts'
import { apartOf } from '../../../../core/compile/stages/sample/apart-of.ts'
import type { Verdict } from '../../../../core/compile/stages/judge/verdict.ts'
import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import {
  findSensitivePrepared,
  sensitiveRefused,
  type PreparedRows,
} from '../../../../core/compile/rows/sensitive-rows.ts'
import { isJsonObject } from '../../../../core/kernel/json/json.ts'
import { DomainError, KERNEL_ERRORS, isOneOf } from '../../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import { findBase } from '../../../../core/model/files/find-base.ts'
import { hashBase } from '../../../../core/model/files/base-model.ts'
import { inspectBase } from '../../../../core/model/files/inspect-base.ts'
import { appendEvent } from '../../../../db/compile/progress/events/append-event.ts'
import type { CompileJob } from '../../../../db/compile/jobs/compile-job.ts'
import { requireRental } from '../../../../db/compile/rentals/find-rental.ts'
import { isTrainerListening } from '../../../../temporal/trainer.ts'
import { operationOf, type CompileDeps } from '../deps.ts'
import { doStage, inLane, runStages, type StageRecord, type StageWork, type UnfinishedStage } from '../run-stage.ts'
import { AdapterSummary, type JobRef } from '../results.ts'
import { plainCost } from '../stage-data.ts'
import { watchProgress } from '../watch-progress.ts'
import { keepPlan, loadPlan, type FitPlan } from './fit-plan.ts'
import { openDistil, type FoundBase } from './open-distil.ts'
import { summarizePlan, summarizeVerdict } from './summarize-verdict.ts'

/** Number of row ids that a log line lists. */
const NAMED_ROWS = 50

type Outcome = StageRecord<AdapterSummary> | UnfinishedStage<AdapterSummary>

/** The decision on an adapter as an activity of its own, for runs that began before `buildArtifact` existed. */
export async function planAdapter(deps: CompileDeps, ref: JobRef): Promise<AdapterSummary> {
  return await runStages(deps, ref, async (work) => await inLane(work, 'short', planStage))
}

/**
 * Decides whether to fit an adapter and, if so, prepares it: rows as token ids, hyper-parameters. Otherwise the
 * stage ends with the reason. Returns a stored plan again. When an adapter was requested, an obstacle fails the job.
 */
export async function planStage(work: StageWork): Promise<AdapterSummary> {
  const { deps, ref, activity, data } = work
  return await doStage(work, 'lora-fit', AdapterSummary, async (job) => {
    const startedAt = performance.now()
    const verdict = await data.verified()
    const choices = readChoices(job.spec)
    const skip = (code: string, reason: string): Outcome => skipped({ code, reason, startedAt, verdict, choices })
    const decision = decideFit({
      choices,
      baseModel: job.baseModel,
      passed: verdict.gate.passed,
      estimatesNumbers: estimatesNumbers(verdict),
      distinctRows: verdict.facts.distinct_rows,
    })
    if (decision !== null) return skip(decision, LORA_SKIP_REASONS[decision])
    try {
      const plan = (await loadPlan(deps, ref)) ?? (await makePlan(work, job, choices))
      return { unfinished: summarizePlan(plan, verdict) }
    } catch (error) {
      const isAskedFor = choices.recipe_kind === 'lora'
      if (isAskedFor || activity.signal.aborted || !isReasonToSkip(error)) throw error
      return skip(error.code, error.message)
    }
  })
}

/** Returns true where the best candidate is a tabular model that estimates numbers, which are no labels. */
function estimatesNumbers({ chosen, gate }: Verdict): boolean {
  if (chosen?.data.kind !== 'tabular' || gate.misses === undefined) return false
  const { target } = chosen.data.recipe
  return isJsonObject(target) && target['kind'] === 'number'
}

/** Codes that end the job or report that it has ended. */
const NO_REASONS = [
  MODEL_ERRORS.compile_cancelled,
  COMPILE_ERRORS.already_finished,
  KERNEL_ERRORS.not_found,
  COMPILE_ERRORS.train_holdout_leakage,
]

/** Returns true for an error caused by the examples, the base or the operator's machine: it recurs on every attempt. */
function isReasonToSkip(error: unknown): error is DomainError {
  return error instanceof DomainError && !error.facts.retryable && !isOneOf(error, NO_REASONS)
}

async function makePlan(work: StageWork, job: CompileJob, choices: CompileChoices): Promise<FitPlan> {
  const { deps, ref, activity, data } = work
  const { trainer, lora: options, recipe_kind: kind } = choices
  if (trainer === 'peft' && !(await isTrainerListening(deps.temporal, deps.now()))) {
    throw COMPILE_ERRORS.no_trainer_installed(LORA_SKIP_REASONS.no_trainer_installed)
  }
  const base = await findFitBase(deps, job.baseModel)
  const { distil: chosen } = choices
  const distil = chosen && (await openDistil(deps, ref, chosen, base, async (name) => await findFitBase(deps, name)))
  const { rows, negatives } = await data.rows()
  const sample = await data.sample()
  const split = apartOf(sample, rows)
  if (split === null) throw COMPILE_ERRORS.too_few_examples(LORA_SKIP_REASONS.too_few_to_hold_out)
  const { teacherRows } = sample
  if (trainer === 'rented')
    await requireHarmless(work, { task: job.task, rows, negatives, teacherRows }, bodyFieldsOf(job.spec))
  const prepared = await deps.pool.prepareFit(
    {
      task: job.task,
      rows,
      negatives,
      split,
      teacherRows,
      base,
      options,
      distil,
      memoryBudgetBytes: trainer === 'embedded' ? deps.limits.trainer_memory_bytes : null,
      hidesIds: isFittedElsewhere(trainer),
    },
    watchProgress(deps, ref, 'lora-fit', activity),
  )
  const plan = await keepPlan(deps, ref, { ...prepared, trainer, isAskedFor: kind === 'lora' })
  await tellTruncation(deps, ref, plan)
  return plan
}

/** A teacher's answers come after the job was accepted, so what leaves for a rented machine is looked at again. */
async function requireHarmless({ deps, ref }: StageWork, prepared: PreparedRows, fields: BodyFields): Promise<void> {
  const rental = await requireRental(operationOf(deps, ref), ref.jobId)
  if (rental.allowsSensitive) return
  const found = await findSensitivePrepared(prepared)
  if (found.classes.length > 0) throw sensitiveRefused(found, fields, 'compile here, redact it, or set allow_sensitive')
}

async function findFitBase(deps: CompileDeps, name: string): Promise<FoundBase> {
  try {
    const directory = await findBase(name, deps.baseFolders)
    const weightsHash = await hashBase(directory, await inspectBase(directory))
    return { name, directory, weightsHash }
  } catch (error) {
    if (!MODEL_ERRORS.unknown_base_model.matches(error)) throw error
    throw COMPILE_ERRORS.base_not_installed(`${LORA_SKIP_REASONS.base_not_installed}: ${name}`, { cause: error })
  }
}

async function tellTruncation(deps: CompileDeps, ref: JobRef, { truncated }: FitPlan): Promise<void> {
  if (truncated.length === 0) return
  const named = truncated.slice(0, NAMED_ROWS).map(({ id }) => id)
  const message = `${truncated.length} inputs are longer than the context and lose tokens from their left`
  const body = { step: 'lora-fit', code: 'inputs_truncated', message, rows: truncated.length, row_ids: named }
  await appendEvent(operationOf(deps, ref), { jobId: ref.jobId, kind: 'log', body, now: deps.now() })
}

function skipped(facts: {
  readonly code: string
  readonly reason: string
  readonly startedAt: number
  readonly verdict: Verdict
  readonly choices: CompileChoices
}): StageRecord<AdapterSummary> {
  const { code, reason, verdict } = facts
  return {
    outcome: 'skipped',
    result: {
      status: 'skipped',
      code,
      trainer: facts.choices.trainer,
      fits: [],
      trainRows: 0,
      steps: 0,
      verdict: summarizeVerdict(verdict),
    },
    facts: { reason },
    cost: plainCost(facts.startedAt),
    events: [{ kind: 'log', body: { step: 'lora-fit', code, message: reason } }],
    ...(verdict.gate.passed && { next: 'bundle', isQuick: true }),
  }
}
