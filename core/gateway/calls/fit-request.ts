import type { ProviderDialect } from '../protocol/dialects/dialect.ts'
import { refuseField } from '../protocol/dialects/fields.ts'
import type { ModelRequest } from '../protocol/exchange/request.ts'
import type { CallerDialectName } from '../providers/provider.ts'
import { takesEffort } from '../providers/reasoning-models.ts'
import type { Target } from './target.ts'

/** The penalties by their names in the dialects that have them. */
const PENALTIES = [
  [
    'frequencyPenalty',
    { 'chat-completions': 'frequency_penalty', 'generate-content': 'generationConfig.frequencyPenalty' },
  ],
  [
    'presencePenalty',
    { 'chat-completions': 'presence_penalty', 'generate-content': 'generationConfig.presencePenalty' },
  ],
] as const satisfies readonly (readonly [keyof ModelRequest, Partial<Record<CallerDialectName, string>>])[]

/**
 * Fits a caller's request to the model that is asked: an effort that is meant for models that reason is left out for
 * others. Throws `not_translatable` for a member without a counterpart, for a penalty where the dialect has none, and for several samples where it gives one.
 */
export function fitRequest(
  caller: CallerDialectName,
  read: ModelRequest,
  { provider, model }: Target,
  dialect: Pick<ProviderDialect, 'name' | 'maxSamplesPerCall'>,
): ModelRequest {
  const [refused] = read.refused ?? []
  if (refused !== undefined) refuseField(refused, 'has no counterpart at this provider: leave it out')
  if (read.n > (read.isStreamed ? 1 : dialect.maxSamplesPerCall)) {
    refuseField('n', `${provider.label} gives one sample a call`)
  }
  for (const [name, fields] of PENALTIES) {
    if (!read[name] || dialect.name === 'chat-completions') continue
    const field = Object.entries(fields).find(([spoken]) => spoken === caller)?.[1]
    refuseField(field ?? name, `${provider.label} has no such penalty: leave it out`)
  }
  const hint = read.reasoning?.kind === 'effort' ? read.reasoning.onlyIfReasoning : undefined
  if (hint === undefined || takesEffort(model)) return { ...read, model }
  return { ...read, model, reasoning: undefined, leftOut: [...(read.leftOut ?? []), hint] }
}
