import type { CallRecord } from '../../../core/gateway/record/call-record.ts'
import { attemptsLine } from '../../../core/gateway/routing/route-facts.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'

/** The headers that explain how a call was routed. */
export function routeHeaders({
  namespace,
  route,
  attempts,
}: Pick<CallRecord, 'namespace' | 'route' | 'attempts'>): ReplyHeaders {
  const { decision, fallbackReason, confidence, artifactId, cache } = route
  return {
    'x-svc-namespace': namespace,
    'x-svc-route': decision,
    ...(fallbackReason !== null && { 'x-svc-fallback-reason': fallbackReason }),
    ...(attempts.length > 1 && { 'x-svc-attempts': attemptsLine(attempts) }),
    ...(confidence !== null && { 'x-svc-confidence': String(confidence) }),
    ...(artifactId !== null && { 'x-svc-artifact-id': artifactId }),
    ...(cache !== 'off' && { 'x-svc-cache': cache }),
  }
}
