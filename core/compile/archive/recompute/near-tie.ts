import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import { readAdapter } from '../../../model/files/adapter-files.ts'
import { createPromptEncoder, cutPrompt } from '../../../model/training/prompt.ts'
import type { BaseProvider } from '../../runtime/bases.ts'
import type { AdapterRecipe } from '../../runtime/open-recipe.ts'

/**
 * Difference of log-probabilities within rounding: sums in float32 over some hundreds of terms, in another order,
 * differ by less.
 */
const TIE = 1e-3

/** True when the model finds two answers equally likely at the first token in which they differ. */
export async function isNearTie(
  { recipe, files, adapterHash }: AdapterRecipe,
  bases: BaseProvider,
  input: Json,
  [one, other]: readonly [Json, Json],
): Promise<boolean> {
  return await bases.use(recipe.base, async ({ base, generator }) => {
    const { config } = base.model
    const [endTokenId] = config.eosTokenIds
    if (endTokenId === undefined) throw MODEL_ERRORS.invalid_model('the base defines no token that ends an answer')
    const { tokenizer, chatTemplate } = base
    const encoder = createPromptEncoder(recipe.prompt, { tokenizer, chatTemplate, endTokenId })
    const { prompt } = cutPrompt(encoder.prompt(input), config.contextLength - recipe.max_new_tokens)
    const answers = [encoder.answer(one), encoder.answer(other)] as const
    const at = answers[0].findIndex((id, place) => id !== answers[1][place])
    if (at < 0 || answers.some((ids) => prompt.length + ids.length > config.contextLength)) return false
    const adapter = { hash: adapterHash, adapter: readAdapter(files, config) }
    const [first = null, second = null] = await Promise.all(
      answers.map(async (ids) => {
        const scores = await generator.logProbs({ ids: [...prompt, ...ids.slice(0, at + 1)], adapter })
        return scores.at(-1)
      }),
    )
    return first !== null && second !== null && Math.abs(first - second) <= TIE
  })
}
