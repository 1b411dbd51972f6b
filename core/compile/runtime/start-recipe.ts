import type { Json } from '../../kernel/json/json.ts'
import { readAdapter } from '../../model/files/adapter-files.ts'
import type { LoraAdapter } from '../../model/files/lora-adapter.ts'
import type { Generator } from '../../model/generation/generator.ts'
import type { OpenGenerator } from '../../model/generation/generators.ts'
import { createLoraRunner, type LoraAnswer, type LoraRunner } from '../stages/lora/lora-runner.ts'
import type { RunResult } from './recipe.ts'
import type { CheckedBases } from './check-weights.ts'
import type { AdapterRecipe, OpenedRecipe } from './open-recipe.ts'

/** Token use of a generated answer. */
export interface TokenUsage {
  readonly promptTokens: number
  /** Tokens that were dropped from the left of a prompt that was too long. */
  readonly droppedTokens: number
  /** The token that ends the answer included. */
  readonly newTokens: number
  /** Time from the request to the first token, the wait included. */
  readonly firstTokenMs: number
  /** Time from the first work on the prompt to the answer. */
  readonly generationMs: number
}

/** An answer; `usage` is null for recipes that do not generate. */
export interface RecipeAnswer {
  readonly result: RunResult
  readonly usage: TokenUsage | null
}

/** Any recipe, ready to be called. Calls of recipes on one base at the same time share its work. */
export interface RecipeRunner {
  /** Makes sure that a call could be answered. Throws as `BaseProvider.use`, `invalid_adapter`. */
  ready(): Promise<void>
  /** Throws `recipe_failed` when there is no answer, and as `ready` and the generator do, or the signal's reason. */
  run(input: Json, options?: { readonly signal?: AbortSignal }): Promise<RecipeAnswer>
}

/** Makes an opened recipe callable. Reads the base on the first call. */
export function startRecipe(opened: OpenedRecipe, bases: CheckedBases): RecipeRunner {
  if (opened.kind === 'lora') return startAdapter(opened, bases)
  return {
    ready: async () => await Promise.resolve(),
    run: async (input) => await Promise.resolve({ result: opened.runner.run(input), usage: null }),
  }
}

function startAdapter({ recipe, files, adapterHash }: AdapterRecipe, bases: CheckedBases): RecipeRunner {
  let adapter: LoraAdapter | undefined
  let made: { readonly generator: Generator; readonly runner: LoraRunner } | undefined
  /** The runner on the base as it is open now: a base that was idle is closed, and another time opened again. */
  const runnerOn = ({ base, generator }: OpenGenerator): LoraRunner => {
    if (made?.generator === generator) return made.runner
    const { config } = base.model
    adapter ??= readAdapter(files, config)
    const { tokenizer, chatTemplate } = base
    const runner = createLoraRunner({
      recipe,
      adapter: { hash: adapterHash, adapter },
      base: { config, tokenizer, chatTemplate },
      generator,
    })
    made = { generator, runner }
    return runner
  }
  return {
    ready: async () =>
      await bases.use(recipe.base, async (open) => {
        runnerOn(open)
        await Promise.resolve()
      }),
    run: async (input, options) =>
      split(await bases.use(recipe.base, async (open) => await runnerOn(open).run(input, options))),
  }
}

function split(answer: LoraAnswer): RecipeAnswer {
  const { promptTokens, droppedTokens, newTokens, firstTokenMs, generationMs, ...result } = answer
  return { result, usage: { promptTokens, droppedTokens, newTokens, firstTokenMs, generationMs } }
}
