import { MODEL_ERRORS } from '../../../model/errors.ts'
import { parseJsonText } from '../../../kernel/json/json-text.ts'
import type { Json } from '../../../kernel/json/json.ts'
import type { ModelConfig } from '../../../model/config/model-config.ts'
import type { AdapterRef, Generator } from '../../../model/generation/generator.ts'
import type { Generation } from '../../../model/generation/options.ts'
import type { ChatTemplate } from '../../../model/tokenizer/chat-template.ts'
import type { Tokenizer } from '../../../model/tokenizer/tokenizer.ts'
import { createPromptEncoder, cutPrompt, valueText } from '../../../model/training/prompt.ts'
import type { RunResult } from '../../runtime/recipe.ts'
import { generationConstraint, type LoraRecipe } from './lora-recipe.ts'

/** An answer of an adapter, and its token use. */
export type LoraAnswer = RunResult & {
  readonly promptTokens: number
  /** Tokens that were dropped from the left of a prompt that was too long. */
  readonly droppedTokens: number
  readonly newTokens: number
  /** Time from the request to the first token, the wait included. */
  readonly firstTokenMs: number
  /** Time from the first work on the prompt to the answer. */
  readonly generationMs: number
}

/** An adapter on its base, ready to answer. Calls at the same time share the work of the base. */
export interface LoraRunner {
  /**
   * Answers one input; abstains when the confidence is too low, and when the answer does not end within its tokens, as
   * when a model repeats itself. Throws `recipe_failed` when the answer is not a value, and the generator's errors:
   * `model_busy`, `context_exceeded`, or the reason of the signal.
   */
  run(input: Json, options?: { readonly signal?: AbortSignal }): Promise<LoraAnswer>
}

/** Parts of an adapter's runner. */
export interface LoraRunnerParts {
  readonly recipe: LoraRecipe
  readonly adapter: AdapterRef
  readonly base: {
    readonly config: ModelConfig
    readonly tokenizer: Tokenizer
    readonly chatTemplate: ChatTemplate | null
  }
  readonly generator: Pick<Generator, 'generate'>
}

const JSON_DEPTH = 64

/** Makes an adapter ready. The base must be the one that the recipe names. Throws `invalid_model` as the prompts do. */
export function createLoraRunner({ recipe, adapter, base, generator }: LoraRunnerParts): LoraRunner {
  const { config, tokenizer, chatTemplate } = base
  const [endTokenId] = config.eosTokenIds
  if (endTokenId === undefined) throw MODEL_ERRORS.invalid_model('the base defines no token that ends an answer')
  const encoder = createPromptEncoder(recipe.prompt, { tokenizer, chatTemplate, endTokenId })
  const constraint = generationConstraint(recipe)
  const options = {
    maxNewTokens: recipe.max_new_tokens,
    stop: recipe.stop,
    ...(constraint !== undefined && { constraint }),
  }
  const read = answerReader(recipe)
  return {
    async run(input, { signal } = {}) {
      const { prompt, droppedTokens } = cutPrompt(encoder.prompt(input), config.contextLength - recipe.max_new_tokens)
      const generation = await generator.generate({ promptIds: prompt, adapter, options, signal })
      const { promptTokens, newTokens, firstTokenMs, generationMs, confidence, finish } = generation
      const cost = { promptTokens, droppedTokens, newTokens, firstTokenMs, generationMs }
      const isUnfinished = finish === 'length' && recipe.constraint?.type !== 'labels'
      const isUnsure = recipe.abstain_below !== null && confidence < recipe.abstain_below
      if (isUnfinished || isUnsure) {
        return { abstained: true, output: null, confidence, ...cost }
      }
      return { abstained: false, output: read(generation), confidence, ...cost }
    },
  }
}

/** Turns a generated text into an output. */
function answerReader({ constraint, output }: LoraRecipe): (generation: Generation) => Json {
  if (constraint?.type === 'labels') {
    const labels = new Map(constraint.labels.map((label) => [valueText(label), label]))
    return ({ text }) => {
      const label = labels.get(text)
      if (label === undefined) throw MODEL_ERRORS.recipe_failed('the answer is not one of the labels')
      return label
    }
  }
  return ({ text }) => {
    if (output === 'text') return text
    try {
      return parseJsonText(text, JSON_DEPTH)
    } catch (cause) {
      throw MODEL_ERRORS.recipe_failed('the answer is not a JSON value', { cause })
    }
  }
}
