import type { Attempt, PassedOver } from '../record/attempt.ts'
import type { ProviderFailure } from '../providers/provider-error.ts'

/** Id of our own artifacts where providers are named. */
export const OWN_PROVIDER = '.svc'

/** Why a call continued to its next target. */
export const FALLBACK_REASONS = [
  'low_confidence',
  'class_mismatch',
  'no_concept',
  'unsupported_request',
  'artifact_unavailable',
  'circuit_open',
  'over_limit',
  'upstream_timeout',
  'upstream_429',
  'upstream_5xx',
  'upstream_unreachable',
  'upstream_auth',
  'upstream_404',
  'upstream_4xx',
  'upstream_refused',
  'upstream_invalid_response',
  'upstream_interrupted',
  'poison_detected',
] as const
/** One of them. */
export type FallbackReason = (typeof FALLBACK_REASONS)[number]

/** Whether an answer came out of the cache; `off` where the namespace has none. */
export type CacheUse = 'off' | 'miss' | 'hit'

/** The route of a call. */
export interface RouteFacts {
  /** `local`: an own artifact or a server of the operator's answered. */
  readonly decision: 'local' | 'frontier'
  /** Why the target before the one that answered did not; null when the first one did. */
  readonly fallbackReason: FallbackReason | null
  /** Calibrated confidence of the own artifact that was asked; null where it has none, or none was asked. */
  readonly confidence: number | null
  /** The own artifact that answered. */
  readonly artifactId: string | null
  /** Probability that the call is for the concept whose artifact was asked; absent where the artifact was named. */
  readonly conceptMatch?: number
  readonly cache: CacheUse
}

const REASONS: Readonly<Record<ProviderFailure, FallbackReason>> = {
  timeout: 'upstream_timeout',
  rate_limited: 'upstream_429',
  overloaded: 'upstream_5xx',
  connection: 'upstream_unreachable',
  auth: 'upstream_auth',
  // It ends a call, unless the model is unknown.
  invalid_request: 'upstream_4xx',
  refused: 'upstream_refused',
  invalid_response: 'upstream_invalid_response',
  untranslatable: 'upstream_invalid_response',
  interrupted: 'upstream_interrupted',
}

/** Returns why an attempt was left for the next; null for the one that was answered. */
export function reasonOf({ failure, status }: Pick<Attempt, 'failure' | 'status'>): FallbackReason | null {
  if (failure === null) return null
  if (failure === 'invalid_request' && status === 404) return 'upstream_404'
  return isPassedOver(failure) ? failure : REASONS[failure]
}

function isPassedOver(failure: ProviderFailure | PassedOver): failure is PassedOver {
  return !Object.hasOwn(REASONS, failure)
}

/** Returns the reason for leaving the last target that did not answer; null when there was none. */
export function fallbackReason(attempts: readonly Attempt[]): FallbackReason | null {
  return attempts.map((attempt) => reasonOf(attempt)).findLast((reason) => reason !== null) ?? null
}

/** The attempts in one line, for a header: `openai:gpt-4o=upstream_5xx, groq:llama=ok`. */
export function attemptsLine(attempts: readonly Attempt[]): string {
  return attempts.map(({ provider, model, failure }) => `${provider}:${encodeURI(model)}=${failure ?? 'ok'}`).join(', ')
}
