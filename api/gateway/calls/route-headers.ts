import type { CallRecord } from '../../../core/gateway/record/call-record.ts'
import type { Attempt } from '../../../core/gateway/record/attempt.ts'
import { attemptsLine, fallbackReason, type RouteFacts } from '../../../core/gateway/routing/route-facts.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'

/** The target that answers a call, and what was asked before it. */
export interface Routed {
  readonly target: { readonly provider: { readonly id: string } }
  /** The part of an own artifact or the cache. */
  readonly own: Omit<RouteFacts, 'decision' | 'fallbackReason'>
  readonly attempts: readonly Attempt[]
}

/** Returns the route of a call. */
export function routeOf({ target, own, attempts }: Routed): RouteFacts {
  return {
    ...own,
    decision: own.artifactId !== null || target.provider.id.startsWith('local') ? 'local' : 'frontier',
    fallbackReason: fallbackReason(attempts),
  }
}

/** The headers that explain how a call was routed; for a stream too, whose target is settled before its first part. */
export function routeHeaders({
  namespace,
  route,
  attempts,
}: Pick<CallRecord, 'namespace' | 'route' | 'attempts'>): ReplyHeaders {
  const { decision, fallbackReason, confidence, artifactId, conceptMatch, cache } = route
  return {
    'x-svc-namespace': namespace,
    'x-svc-route': decision,
    ...(fallbackReason !== null && { 'x-svc-fallback-reason': fallbackReason }),
    ...(attempts.length > 1 && { 'x-svc-attempts': attemptsLine(attempts) }),
    ...(confidence !== null && { 'x-svc-confidence': String(confidence) }),
    ...(conceptMatch !== undefined && { 'x-svc-concept-match': String(conceptMatch) }),
    ...(artifactId !== null && { 'x-svc-artifact-id': artifactId }),
    ...(cache !== 'off' && { 'x-svc-cache': cache }),
  }
}
