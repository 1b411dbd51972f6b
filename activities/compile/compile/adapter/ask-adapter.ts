import { answerRows, measureCalls } from '../../../../core/compile/stages/lora/answer-rows.ts'
import type { LoraRecipe } from '../../../../core/compile/stages/lora/lora-recipe.ts'
import { createLoraRunner, type LoraRunner } from '../../../../core/compile/stages/lora/lora-runner.ts'
import { isSameOutput } from '../../../../core/compile/rows/equality/same-output.ts'
import type { Answer } from '../../../../core/compile/stages/scoring/evaluate.ts'
import type { Equality } from '../../../../core/compile/rows/equality/equality.ts'
import type { Latency } from '../../../../core/compile/stages/scoring/score-types.ts'
import type { AdapterData } from '../../../../core/compile/stages/stage-types.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'
import { chooseAbstention } from '../../../../core/compile/stages/verifier/abstention.ts'
import { MODEL_ERRORS } from '../../../../core/model/errors.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { readAdapter } from '../../../../core/model/files/adapter-files.ts'
import { adapterHash } from '../../../../core/model/files/lora-adapter.ts'
import type { OpenGenerator } from '../../../../core/model/generation/generators.ts'
import type { HeldSlot } from '../../../compute-slot.ts'
import type { RunningActivity } from '../../../kernel/run-activity.ts'
import type { CompileDeps } from '../deps.ts'
import type { FitSummary } from '../results.ts'
import { loadFiles, type FitFiles } from './fit-files.ts'
import type { FitPlan } from './fit-plan.ts'

/** The turns in which an adapter is asked. */
export type Turns = Pick<HeldSlot, 'turnOver' | 'nextTurn'>

/** Input for asking an adapter. */
export interface Asking {
  readonly deps: CompileDeps
  readonly plan: FitPlan
  readonly equality: Equality
  readonly open: OpenGenerator
  readonly activity: RunningActivity
  readonly turns: Turns
}

/** Answers of the shipped adapter, and its description. */
export interface Judgement {
  readonly data: AdapterData
  readonly answers: readonly Answer[]
  readonly latency: Latency
  readonly innerEvidence: { readonly rows: number; readonly right: number } | null
  /** The training report of its trainer. */
  readonly training: JsonObject
}

/** Returns the answers of one fold's adapter for the rows held out of that fold. */
export async function askFold(
  asking: Asking,
  fit: FitSummary | undefined,
  rows: readonly Row[],
): Promise<readonly { readonly row: Row; readonly answer: Answer }[]> {
  const runner = openRunner(asking, await loadFiles(asking.deps, fit), asking.plan.recipe)
  const answers = await ask(asking, runner, rows, 'answer a fold')
  return rows.flatMap((row, place) => {
    const answer = answers[place]
    return answer === undefined ? [] : [{ row, answer }]
  })
}

/**
 * Returns the answers of the shipped adapter. The confidence required for a label is set on the rows used for early
 * stopping; the adapter then answers the held-out rows, and single calls are timed.
 */
export async function askShipped(
  asking: Asking,
  fit: FitSummary | undefined,
  rows: { readonly evaluated: readonly Row[]; readonly timed: readonly Row[]; readonly inner: readonly Row[] },
): Promise<Judgement> {
  const { plan, equality, deps, activity } = asking
  const files = await loadFiles(deps, fit)
  const inner = await ask(asking, openRunner(asking, files, plan.recipe), rows.inner, 'answer inner rows')
  const predictions = rows.inner.map((row, place) => {
    const answer = inner[place]
    const correct = answer !== undefined && answer.error === null && isSameOutput(equality, answer.output, row.output)
    return { confidence: answer?.confidence ?? 0, correct }
  })
  const recipe = withAbstention(plan.recipe, predictions)
  const runner = openRunner(asking, files, recipe)
  const answers = await ask(asking, runner, rows.evaluated, 'answer held-out rows')
  const right = predictions.filter(({ correct }) => correct).length
  return {
    data: { kind: 'lora', recipe, adapter: { config: files.config, weights: files.weights } },
    answers,
    latency: await measureCalls(
      runner,
      rows.timed.map(({ input }) => input),
      activity.signal,
    ),
    innerEvidence: predictions.length === 0 ? null : { rows: predictions.length, right },
    training: files.training,
  }
}

/** Probabilities compare only among labels; a longer text is less likely whatever it says. */
function withAbstention(
  recipe: LoraRecipe,
  predictions: readonly { readonly confidence: number; readonly correct: boolean }[],
): LoraRecipe {
  if (recipe.constraint?.type !== 'labels' || predictions.length === 0) return recipe
  const { threshold } = chooseAbstention(predictions)
  return { ...recipe, abstain_below: threshold === 0 ? null : threshold }
}

function openRunner({ plan, open }: Asking, files: FitFiles, recipe: LoraRecipe): LoraRunner {
  const { model, tokenizer, chatTemplate } = open.base
  if (model.weightsHash !== plan.recipe.base.weights_hash) {
    throw MODEL_ERRORS.base_mismatch(`${model.name} has different weights here from where the fit was prepared`)
  }
  const members = new Map([
    ['adapter_config.json', files.config],
    ['adapter_model.safetensors', files.weights],
  ])
  const adapter = readAdapter(members, model.config)
  return createLoraRunner({
    recipe,
    adapter: { hash: adapterHash(adapter), adapter },
    base: { config: model.config, tokenizer, chatTemplate },
    generator: open.generator,
  })
}

/** Answers rows in turns with other tenants: when the turn is over, no further row begins until the next. */
async function ask(
  { activity, turns }: Asking,
  runner: LoraRunner,
  rows: readonly Row[],
  step: string,
): Promise<readonly Answer[]> {
  const inputs = rows.map(({ input }) => input)
  const answers: Answer[] = []
  while (answers.length < inputs.length) {
    await turns.nextTurn()
    const before = answers.length
    const more = await answerRows(runner, inputs.slice(before), {
      signal: activity.signal,
      until: turns.turnOver,
      onAnswer: (done) => activity.note({ step, done: before + done, total: rows.length }),
    })
    answers.push(...more)
  }
  return answers
}
