import type { Json } from '../../../core/kernel/json/json.ts'
import type { BakeoffOptions, BakeoffRow } from '../../../core/learn/evals/bakeoff/bakeoff.ts'
import { chooseShown, promptText, readOutput } from '../../../core/learn/evals/bakeoff/prompts.ts'
import type { OpenGenerator } from '../../../core/model/generation/generators.ts'
import { plainOrChat } from './encode-prompt.ts'
import { timed, type Answerer } from './answerer.ts'

/** Texts that end an answer of a base without a chat template: it would continue with examples of its own. */
const NEXT_EXAMPLE = ['\nInput:']

/**
 * Makes the contestant of a base: asked with examples of the train rows, as many as its context has room for, in the base's chat
 * template where it has one. It always takes the likeliest token.
 */
export function baseAnswerer(
  { base, generator }: OpenGenerator,
  {
    options,
    train,
    isText,
  }: { readonly options: BakeoffOptions; readonly train: readonly BakeoffRow[]; readonly isText: boolean },
  signal: AbortSignal,
): Answerer {
  const shown = chooseShown(train, options.shots)
  const { contextLength } = base.model.config
  const maxNewTokens = Math.min(options.maxTokens, Math.floor(contextLength / 2))
  const encode = plainOrChat(base)
  /** The prompt with as many examples as there is room for. */
  const promptIds = (input: Json): readonly number[] => {
    for (let first = 0; first <= shown.length; first++) {
      const ids = encode(promptText({ instruction: options.instruction, shown: shown.slice(first) }, input))
      if (ids.length <= contextLength - maxNewTokens) return ids
      if (first === shown.length) return ids.slice(-(contextLength - maxNewTokens))
    }
    return []
  }
  return {
    facts: {
      trainRows: shown.length,
      fitMs: null,
      fitCpuMs: null,
      cpuOf: 'process',
      provider: null,
      model: base.model.name,
      priceSource: null,
      privacy: 'local',
      isDeterministic: true,
    },
    answer: async (rows) =>
      await timed(rows, async (input) => {
        const stop = base.chatTemplate === null ? NEXT_EXAMPLE : []
        const request = { promptIds: promptIds(input), options: { maxNewTokens, stop }, signal }
        const { text, promptTokens, newTokens } = await generator.generate(request)
        return { ...readOutput(text, isText), inputTokens: promptTokens, outputTokens: newTokens }
      }),
  }
}
