import { DomainError } from '../../kernel/errors.ts'
import type { ProviderError, ProviderFailure } from '../providers/provider-error.ts'

/**
 * The error that a caller gets for a provider's: with the provider's status where that is about the call itself, and
 * where it is about a key, only when the key is the caller's own. What a provider says of the operator's key and its limits
 * names the operator's account, so it is not repeated. The field that it names is the caller's where the call was not
 * translated.
 */
export function callersError(
  error: ProviderError,
  facts: { readonly provider: string; readonly isOwnKey: boolean; readonly isTranslated: boolean },
) {
  const { provider, isOwnKey, isTranslated } = facts
  const status = statusOf(error, isOwnKey)
  const message = (isOwnKey ? undefined : OF_THE_OPERATOR[error.failure]) ?? error.message
  return new DomainError({ facts: { ...error.facts, status } }, `${provider}: ${message}`, {
    details: {
      provider,
      ...(error.status !== undefined && { provider_status: error.status }),
      ...(error.word !== undefined && { provider_code: error.word }),
      ...(error.param !== undefined && !isTranslated && { provider_param: error.param }),
      ...(error.requestId !== undefined && { provider_request_id: error.requestId }),
    },
    ...(error.retryAfterS !== undefined && { retryAfterS: Math.max(1, Math.ceil(error.retryAfterS)) }),
    cause: error,
  })
}

/** Texts about the operator's key that callers get in place of the provider's words. */
export const OF_THE_OPERATOR: Readonly<Partial<Record<ProviderFailure, string>>> = {
  auth: "the operator's key was refused",
  rate_limited: "the operator's key has reached a limit",
}

/** Statuses by which providers refuse a key or an account without credit. */
const OF_A_KEY: ReadonlySet<number> = new Set([401, 402, 403, 429])

function statusOf(error: ProviderError, isOwnKey: boolean): number {
  const { failure, status } = error
  if (failure === 'rate_limited') return 429
  if (failure === 'auth') {
    if (!isOwnKey) return error.facts.status
    return status !== undefined && OF_A_KEY.has(status) ? status : 401
  }
  return status !== undefined && status >= 400 && status < 500 && status !== 408 ? status : error.facts.status
}
