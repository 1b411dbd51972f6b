import { invalidField } from '../../kernel/errors.ts'
import { GATEWAY_ERRORS } from '../errors.ts'
import { GATEWAY_PROVIDERS, type GatewayMode, type GatewayProvider, type GatewayProviderId } from './providers.ts'

/** Where a call goes: a provider, and the model by the provider's own name. */
export interface Target {
  readonly provider: GatewayProvider & { readonly id: GatewayProviderId }
  readonly model: string
}

/**
 * Returns the target that a name of a model stands for: `provider:model` or `provider/model`, or the name alone where it
 * tells its provider. Throws `unknown_model`, which lists the providers.
 */
export function targetOf(name: string, field = 'model'): Target {
  const at = name.search(/[:/]/)
  const named = at === -1 ? undefined : GATEWAY_PROVIDERS.find(({ id }) => id === name.slice(0, at))
  if (named !== undefined && at + 1 < name.length) return { provider: named, model: name.slice(at + 1) }
  const owner = GATEWAY_PROVIDERS.find(({ models }) => models !== null && models.test(name))
  if (owner !== undefined) return { provider: owner, model: name }
  const known = GATEWAY_PROVIDERS.map(({ id }) => id).join(', ')
  const message = `no provider is known for ${JSON.stringify(name.slice(0, 100))}; write provider:model with one of ${known}`
  throw invalidField(field, message, GATEWAY_ERRORS.unknown_model)
}

/** The target of a call to one provider, whose name may stand before the model's. */
export function targetAt(id: GatewayProviderId, name: string): Target {
  const provider = GATEWAY_PROVIDERS.find((one) => one.id === id)
  if (provider === undefined) throw new Error(`there is no provider ${id}`)
  return { provider, model: name.startsWith(`${id}:`) ? name.slice(id.length + 1) : name }
}

/** Returns the target that is asked in an installation of this mode, which may send all calls to a server of its own. */
export function targetIn(mode: GatewayMode, target: Target): Target {
  return mode === 'cloud' ? target : targetAt(mode, target.model)
}

/** Targets that a caller lists for when the one before fails. */
const MOST_FALLBACKS = 16
const MOST_NAME_CHARS = 256

/** Reads a list `provider:model, provider:model`. Throws `validation_failed` and `unknown_model`. */
export function readFallbacks(header: string | undefined, field: string): readonly Target[] {
  if (header === undefined || header.trim() === '') return []
  const names = header.split(',').map((name) => name.trim())
  if (names.some(({ length }) => length > MOST_NAME_CHARS))
    throw invalidField(field, `names a model with more than ${MOST_NAME_CHARS} characters`)
  if (names.length > MOST_FALLBACKS) throw invalidField(field, `has more than ${MOST_FALLBACKS} entries`)
  return names.map((name) => targetOf(name, field))
}
