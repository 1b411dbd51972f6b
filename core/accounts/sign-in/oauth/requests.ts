import {
  allowInsecureRequests,
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
  type Configuration,
} from 'openid-client'
import { DomainError } from '../../../kernel/errors.ts'
import { ACCOUNTS_ERRORS } from '../../errors.ts'

/** Timeout of one provider request, seconds. */
export const ANSWER_S = 10

/** Allows plain http for a provider whose configured address uses it: on the operator's own machine. */
export function allowPlainHttp(config: Configuration, address: string): void {
  if (address.startsWith('http:')) allowInsecureRequests(config)
}

/**
 * Runs one step with a provider. Throws `oidc_response_refused` for an invalid answer, and `identity_provider_failed`
 * when the provider cannot be reached or refuses the service. The provider's text is kept in the cause.
 */
export async function askProvider<T>(name: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof DomainError) throw error
    if (isRefusal(error)) {
      throw ACCOUNTS_ERRORS.oidc_response_refused(`the answer of ${name} is not valid`, { cause: error })
    }
    throw ACCOUNTS_ERRORS.identity_provider_failed(`${name} did not answer as expected`, { cause: error })
  }
}

/** Returns true for failures caused by the browser's answer: a wrong code, state or token, or a user who declined. */
function isRefusal(error: unknown): boolean {
  if (error instanceof AuthorizationResponseError) return true
  if (error instanceof ResponseBodyError) return error.error === 'invalid_grant'
  if (error instanceof WWWAuthenticateChallengeError) return false
  return error instanceof ClientError && error.code !== undefined && REFUSALS.has(error.code)
}

/** Codes of openid-client for answers that were read and found wrong. */
const REFUSALS: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
])
