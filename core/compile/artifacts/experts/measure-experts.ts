import type { Json } from '../../../kernel/json/json.ts'
import type { CoreTurns } from '../../../kernel/threads/core-turns.ts'
import type { ExpertsConfig } from '../../../model/config/model-config.ts'
import { countParameters } from '../../../model/config/weight-names.ts'
import { readAdapter } from '../../../model/files/adapter-files.ts'
import type { Generator } from '../../../model/generation/generator.ts'
import type { OpenGenerator } from '../../../model/generation/generators.ts'
import type { ExpertCounts, ExpertOptions } from '../../../model/generation/options.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import type { AdapterRecipe } from '../../runtime/open-recipe.ts'
import { answerRows } from '../../stages/lora/answer-rows.ts'
import { createLoraRunner } from '../../stages/lora/lora-runner.ts'
import type { Answer } from '../../stages/scoring/evaluate.ts'
import { choosePrunable, type ExpertActivation, sumActivations } from './choose-experts.ts'

/** A row of an evaluation. */
interface EvaluatedRow {
  readonly input: Json
  readonly expected: Json
}

/** Measurements of a base's experts on the held-out rows of an artifact. */
export interface ExpertMeasures {
  readonly experts: ExpertsConfig
  readonly rows: number
  readonly activations: readonly ExpertActivation[]
  readonly prunable: readonly ExpertActivation[]
  /** Share of the base's parameters that belong to the prunable experts. */
  readonly prunedShare: number
  /** Share of the rows that are right with all experts. */
  readonly accuracy: number
  /** The same with the prunable experts masked. */
  readonly prunedAccuracy: number
  /** Rows whose answer differs when they are masked. */
  readonly changedAnswers: number
}

/** The subject of the measurement: an adapter, its held-out rows and when two outputs are equal. */
export interface ExpertSubject {
  readonly opened: AdapterRecipe
  readonly rows: readonly EvaluatedRow[]
  readonly equality: Equality
  /** Share of decisions below which an expert is prunable. */
  readonly threshold: number
}

/**
 * Answers the rows with all experts and counts which of them each token chose; then answers them again with the prunable
 * ones masked in the router. Between rows it gives its core up when others wait. Null for a dense base. Throws as the generator
 * does, the signal's reason, and as `turns.next`.
 */
export async function measureExperts(
  { base, generator }: OpenGenerator,
  { opened, rows, equality, threshold }: ExpertSubject,
  { signal, turns }: { readonly signal: AbortSignal; readonly turns: CoreTurns },
): Promise<ExpertMeasures | null> {
  const { config } = base.model
  const { experts } = config
  if (experts === undefined) return null
  const adapter = { hash: opened.adapterHash, adapter: readAdapter(opened.files, config) }
  const inputs = rows.map(({ input }) => input)

  const answerWith = async (options: ExpertOptions) => {
    const counting = countingGenerator(generator, options)
    const { tokenizer, chatTemplate } = base
    const parts = { recipe: opened.recipe, adapter, base: { config, tokenizer, chatTemplate } }
    const runner = createLoraRunner({ ...parts, generator: counting.generator })
    const answers: Answer[] = []
    while (answers.length < inputs.length) {
      answers.push(...(await answerRows(runner, inputs.slice(answers.length), { signal, until: turns.over })))
      if (answers.length < inputs.length) await turns.next()
    }
    return { answers, counts: counting.counts }
  }
  const isRight = (answer: Answer | undefined, row: EvaluatedRow): boolean =>
    answer !== undefined &&
    !answer.abstained &&
    answer.error === null &&
    isSameOutput(equality, answer.output, row.expected)
  const accuracyOf = (answers: readonly Answer[]): number =>
    rows.length === 0 ? 0 : rows.filter((row, index) => isRight(answers[index], row)).length / rows.length

  const whole = await answerWith({ masked: [] })
  const activations = sumActivations(experts, whole.counts)
  const prunable = choosePrunable(experts, activations, threshold)
  const masked = experts.layers.map((layer) => ({
    layer,
    experts: prunable.filter((each) => each.layer === layer).map(({ expert }) => expert),
  }))
  const pruned = prunable.length === 0 ? whole : await answerWith({ masked })
  const ofExpert = 3 * config.hiddenSize * experts.intermediateSize + config.hiddenSize
  return {
    experts,
    rows: rows.length,
    activations,
    prunable,
    prunedShare: (prunable.length * ofExpert) / countParameters(config),
    accuracy: accuracyOf(whole.answers),
    prunedAccuracy: accuracyOf(pruned.answers),
    changedAnswers: whole.answers.filter((answer, index) => isOther(answer, pruned.answers[index], equality)).length,
  }
}

function isOther(one: Answer, other: Answer | undefined, equality: Equality): boolean {
  if (other === undefined || one.abstained !== other.abstained || one.error !== other.error) return true
  return !isSameOutput(equality, one.output, other.output)
}

/** A generator whose answers have their experts counted. */
function countingGenerator(generator: Generator, experts: ExpertOptions) {
  const counts: (readonly ExpertCounts[])[] = []
  const counting: Pick<Generator, 'generate'> = {
    generate: async (request) => {
      const generation = await generator.generate({ ...request, options: { ...request.options, experts } })
      counts.push(generation.experts ?? [])
      return generation
    },
  }
  return { generator: counting, counts }
}
