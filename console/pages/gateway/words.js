/** @typedef {import('../../../core/gateway/routing/route-facts.ts').FallbackReason} FallbackReason */

/** @type {Readonly<Record<FallbackReason, string>>} */
const REASONS = {
  low_confidence: 'the artifact was not sure enough',
  class_mismatch: 'the input is unlike the examples of the artifact',
  no_concept: 'the call was for none of your concepts',
  unsupported_request: 'artifacts answer no such request',
  artifact_unavailable: 'the artifact could not be run',
  circuit_open: 'the circuit breaker was open',
  over_limit: 'the limit of calls a minute was reached',
  upstream_timeout: 'the provider answered too late',
  upstream_429: 'the provider limited the rate',
  upstream_5xx: 'the provider failed',
  upstream_unreachable: 'the provider could not be reached',
  upstream_auth: 'the provider refused the key',
  upstream_404: 'the provider does not have the model',
  upstream_4xx: 'the provider rejected the request',
  upstream_refused: 'the provider refused the call',
  upstream_invalid_response: 'the provider gave an invalid answer',
  upstream_interrupted: 'the provider cut the answer off',
  poison_detected: 'the answer looked manipulated',
}

/**
 * Why a call left the target before the one that answered.
 *
 * @param {FallbackReason | null} reason
 */
export function reasonText(reason) {
  return reason === null ? 'first choice' : REASONS[reason]
}

/** @param {'local' | 'frontier'} route */
export function routeText(route) {
  return route === 'local' ? 'own artifact or server' : 'provider'
}

/** @param {string | null} provider */
export function providerText(provider) {
  if (provider === null) return 'none'
  return provider === '.svc' ? 'own artifact' : provider
}
