import type { Attempt } from '../record/call-record.ts'
import type { ProviderFailure } from '../provider-error.ts'

/** Id of our own artifacts where providers are named. */
export const OWN_PROVIDER = '.svc'

/** Why a target was not asked, or why an own artifact's answer was not used. */
export type PassedOver = 'circuit_open' | 'over_limit' | 'low_confidence' | 'class_mismatch' | 'artifact_unavailable'

/** Why a call went on to its next target. */
export type FallbackReason = PassedOver | 'upstream_timeout' | 'upstream_429' | 'upstream_5xx' | 'upstream_4xx'

/** Whether an answer came out of the cache; `off` where the namespace has none. */
export type CacheUse = 'off' | 'miss' | 'hit'

/** How a call was routed. */
export interface RouteFacts {
  /** `local`: an own artifact answered. */
  readonly decision: 'local' | 'frontier'
  /** Why the target before the one that answered did not; null when the first one did. */
  readonly fallbackReason: FallbackReason | null
  /** Calibrated confidence of the own artifact that was asked; null where it has none, or none was asked. */
  readonly confidence: number | null
  /** The own artifact that answered. */
  readonly artifactId: string | null
  readonly cache: CacheUse
}

const REASONS: Readonly<Record<ProviderFailure, FallbackReason>> = {
  rate_limited: 'upstream_429',
  overloaded: 'upstream_5xx',
  auth: 'upstream_4xx',
  invalid_request: 'upstream_4xx',
  refused: 'upstream_4xx',
  timeout: 'upstream_timeout',
  connection: 'upstream_timeout',
  invalid_response: 'upstream_5xx',
  interrupted: 'upstream_5xx',
}

/** Returns the reason for leaving the last target that did not answer; null when there was none. */
export function fallbackReason(attempts: readonly Attempt[]): FallbackReason | null {
  const last = attempts.findLast(({ failure }) => failure !== null)?.failure ?? null
  if (last === null) return null
  return Object.hasOwn(REASONS, last) ? REASONS[last as ProviderFailure] : (last as PassedOver)
}

/** The attempts in one line, for a header: `openai:gpt-4o=upstream_5xx, groq:llama=ok`. */
export function attemptsLine(attempts: readonly Attempt[]): string {
  return attempts.map(({ provider, model, failure }) => `${provider}:${encodeURI(model)}=${failure ?? 'ok'}`).join(', ')
}
