import { GENERATING } from '../../../../core/compile/stages/pool/run-terms.ts'
import type { ModelChoice } from '../../../../core/compile/stages/lora/fit/distil-options.ts'
import { checkedBases } from '../../../../core/compile/runtime/check-weights.ts'
import { loadArchive } from '../../../../core/compile/runtime/load-archive.ts'
import { startRecipe } from '../../../../core/compile/runtime/start-recipe.ts'
import { isOneOf } from '../../../../core/kernel/errors.ts'
import { canonicalJson, type Json, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { wilsonInterval } from '../../../../core/kernel/statistics/wilson-interval.ts'
import { pairOf } from '../../../../core/learn/datasets/rows/row-content.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import {
  createPromptEncoder,
  promptFormatFor,
  valueText,
  type PromptFormat,
} from '../../../../core/model/training/prompt.ts'
import { readArchive } from '../../../../db/compile/artifacts/read-archive.ts'
import { findJob } from '../../../../db/compile/jobs/find-job.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { pendingForgets } from '../../../../db/learn/datasets/forget/pending-forgets.ts'
import { findReadyVersion } from '../../../../db/learn/datasets/find-dataset.ts'
import { streamRows } from '../../../../db/learn/datasets/read-rows.ts'
import { beginRunStage } from '../../../../db/learn/distill/advance-run.ts'
import { findRun } from '../../../../db/learn/distill/find-run.ts'
import { inSlot, type HeldSlot } from '../../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../../kernel/run-activity.ts'
import { operationOf, type DistillDeps, type RunRef } from '../deps.ts'
import { fittedAdapter } from './fitted-adapter.ts'
import { measured } from './measured.ts'

/** Held-out rows that every model answers at most. */
const MOST_ROWS = 200
/** Rows that are asked for at once. */
const AT_ONCE = 16

interface HeldRow {
  readonly input: Json
  readonly output: Json
}

/** Answers one input; null where the model gives no answer. */
type Ask = (input: Json, signal: AbortSignal) => Promise<string | null>

/**
 * Lets the teacher, the student before its training and, where it was signed, the student after it answer the held-out rows,
 * and puts the share of right answers of each into the manifest. Models answer greedily; an answer is right when it is the
 * text of the output. A model that cannot be measured is recorded as such, and the run continues. Safe to repeat. A run of
 * another kind, one without held-out rows, and one whose compile ended without a verdict have nothing to compare.
 */
export async function compareModels(deps: DistillDeps, ref: RunRef): Promise<void> {
  await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const { request, datasetId, datasetVersion, jobId } = await findRun(op, ref.runId)
      if (request.kind !== 'onpolicy' || !datasetId || !datasetVersion) return
      const { status } = await findJob(op, jobId)
      if (status !== 'ready' && status !== 'gated') return
      const read = await measured(deps.log, activity, async () => ({
        rows: await heldRows(op, datasetId, datasetVersion),
        prompt: (await fittedAdapter(deps, ref, jobId))?.recipe.prompt ?? null,
      }))
      const comparison: Record<string, Json> = { ...read.missing }
      if (read.found !== null) {
        const { rows, prompt } = read.found
        if (rows.length === 0) return
        comparison['rows'] = rows.length
        const { student, teacher, max_new_tokens: maxNewTokens } = request.distil
        const models = {
          teacher,
          start: student,
          ...(status === 'ready' && { student: { ...student, artifact_id: jobId } }),
        }
        for (const [name, model] of Object.entries(models)) {
          const { found, missing } = await measured(deps.log, activity, async () =>
            inSlot(deps, { ...GENERATING, work: { tenantId: ref.tenantId, jobId } }, activity, async (working, slot) =>
              withModel(deps, op, { model, maxNewTokens, prompt }, async (ask) => score(rows, ask, working, slot)),
            ),
          )
          comparison[name] = found ?? { ...missing }
        }
      }
      await beginRunStage(op, ref.runId, 'evaluate', { manifest: { held_out_comparison: comparison } })
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

async function heldRows(op: Operation, datasetId: string, number: number): Promise<readonly HeldRow[]> {
  const version = await findReadyVersion(op, datasetId, number)
  const { hashes } = await pendingForgets(op, datasetId)
  const rows: HeldRow[] = []
  for await (const { record, stored } of streamRows(op.db, version, hashes)) {
    const { input, output } = pairOf(stored.row)
    if (record.isHeld && output !== null) rows.push({ input, output })
    if (rows.length === MOST_ROWS) break
  }
  return rows
}

async function score(
  rows: readonly HeldRow[],
  ask: Ask,
  activity: Pick<RunningActivity, 'signal' | 'note'>,
  slot: HeldSlot,
) {
  let right = 0
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const answers = rows.slice(start, start + AT_ONCE).map(async ({ input, output }) => {
      return (await ask(input, activity.signal)) === valueText(output)
    })
    right += (await Promise.all(answers)).filter(Boolean).length
    activity.note({ step: 'evaluate', done: start })
    if (start + AT_ONCE < rows.length) await slot.nextTurn()
  }
  const { low, high } = wilsonInterval(right, rows.length)
  return { right, accuracy: right / rows.length, interval_95: [low, high] } satisfies JsonObject
}

interface Asked {
  readonly model: ModelChoice
  readonly maxNewTokens: number
  /** The prompt of the compile's recipe, in which a base is asked; null where the compile fitted none. */
  readonly prompt: PromptFormat | null
}

/** Opens a model for the time of `work`: an artifact as `/v1/run` answers, a base with the prompt in which the student was trained. */
async function withModel<T>(
  deps: DistillDeps,
  op: Operation,
  { model, maxNewTokens, prompt }: Asked,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  if (model.artifact_id !== null) return await work(await artifactAsk(deps, op, model.artifact_id))
  return await deps.generators.use(model.base, async ({ base, generator }) => {
    const [endTokenId = 0] = base.model.config.eosTokenIds
    const encoder = createPromptEncoder(prompt ?? promptFormatFor(base), { ...base, endTokenId })
    return await work(async (input, signal) => {
      const promptIds = [...encoder.prompt(input)]
      return await unlessImpossible(async () => {
        return (await generator.generate({ promptIds, options: { maxNewTokens }, signal })).text
      })
    })
  })
}

async function artifactAsk(deps: DistillDeps, op: Operation, artifactId: string): Promise<Ask> {
  const { recipe } = await loadArchive(await readArchive(op, artifactId))
  const runner = startRecipe(recipe, checkedBases(deps.generators))
  return async (input, signal) =>
    await unlessImpossible(async () => {
      const { result } = await runner.run(input, { signal })
      return result.abstained ? null : typeof result.output === 'string' ? result.output : canonicalJson(result.output)
    })
}

/** An input that a model cannot answer is answered wrong. */
async function unlessImpossible(answer: () => Promise<string | null>): Promise<string | null> {
  try {
    return await answer()
  } catch (error) {
    if (isOneOf(error, [MODEL_ERRORS.recipe_failed, MODEL_ERRORS.context_exceeded])) return null
    throw error
  }
}
