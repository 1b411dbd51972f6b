import type { ProviderMessage, ProviderRequest } from '../../../gateway/providers/provider.ts'
import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { LEARN_ERRORS } from '../../errors.ts'
import type { BoughtAnswer } from '../evaluation.ts'
import type { PreparedRow } from '../prompts/prepared.ts'
import { pythonText } from '../prompts/python/text.ts'
import type { TaskConfig } from '../task/task-config.ts'
import type { EvalTarget } from './eval-target.ts'
import { beforeStop, seedOf, settingsOf } from './generation-settings.ts'

/** Stop texts that providers take at most; answers are cut at all of them here. */
const MOST_STOPS = 4
/** Seeds of providers have 31 bits. */
const SEEDS = 2 ** 31

/**
 * Returns the question of a row for a provider's model: its prompt as one turn of the user, or the conversation that the
 * row holds. Drawn answers have a seed of their evaluation, row and repeat.
 */
export function modelRequest(
  task: TaskConfig,
  row: PreparedRow,
  { seed, repeat }: { readonly seed: number; readonly repeat: number },
): ProviderRequest {
  const [request] = row.requests
  if (request?.type !== 'generate_until') {
    throw LEARN_ERRORS.eval_needs_likelihoods("a provider's model gives answers and no likelihoods")
  }
  const { temperature, topP, maxTokens, until } = settingsOf(task)
  const isDrawn = temperature > 0
  return {
    messages: messagesOf(request.context, request.input),
    temperature: Math.min(temperature, 2),
    ...(isDrawn && { seed: seedOf(seed, row, repeat) % SEEDS }),
    ...(isDrawn && topP < 1 && { topP }),
    maxTokens,
    ...(until.length > 0 && { stop: until.slice(0, MOST_STOPS) }),
    n: 1,
  }
}

/** The target whose answers a provider's model gave before: it asks for none. */
export const BOUGHT: EvalTarget = {
  async answer(task, { bought }) {
    await Promise.resolve()
    if (bought.length < task.repeats) throw LEARN_ERRORS.evaluation_failed('a row has fewer answers than repeats')
    const { until } = settingsOf(task)
    return {
      responses: { type: 'texts', texts: bought.map(({ text }) => beforeStop(text, until)) },
      cutTokens: 0,
      silence: bought.every(isRefusal) ? 'refused' : null,
    }
  },
}

function isRefusal({ isRefusal: declined }: BoughtAnswer): boolean {
  return declined
}

/** The turns of a row that is a conversation and stands alone in its prompt; else the prompt. */
function messagesOf(context: string, input: Json): readonly ProviderMessage[] {
  const turns = Array.isArray(input) && context === pythonText(input) ? input.map(turnOf) : []
  const whole = turns.filter((turn) => turn !== null)
  return whole.length > 0 && whole.length === turns.length ? whole : [{ role: 'user', text: context }]
}

function turnOf(value: Json): ProviderMessage | null {
  if (!isJsonObject(value)) return null
  const { role, content } = value
  if (typeof content !== 'string') return null
  return role === 'system' || role === 'user' || role === 'assistant' ? { role, text: content } : null
}
