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

/** How long a provider may take for one answer, seconds. */
export const ANSWER_S = 10

/** Lets a provider be reached over plain http where the operator wrote its address so: on a machine of their own. */
export function allowPlainHttp(config: Configuration, address: string): void {
  if (address.startsWith('http:')) allowInsecureRequests(config)
}

/**
 * Runs one step with a provider. Throws `oidc_response_refused` when what came back does not hold, and
 * `identity_provider_failed` when the provider was not reached or refused us. Its words stay in the cause.
 */
export async function askProvider<T>(name: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof DomainError) throw error
    if (isRefusal(error)) {
      throw ACCOUNTS_ERRORS.oidc_response_refused(`the answer of ${name} does not hold`, { cause: error })
    }
    throw ACCOUNTS_ERRORS.identity_provider_failed(`${name} did not answer as it should`, { cause: error })
  }
}

/** What the caller's answer is to blame for: a wrong code, state or token, or a person who said no. */
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
