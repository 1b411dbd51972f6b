import type { ModelAnswer } from '../../../../core/gateway/protocol/exchange/answer.ts'
import { isCacheable } from '../../../../core/gateway/routing/cache-key.ts'
import type { CallRecord } from '../../../../core/gateway/record/call-record.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { boundsOf } from '../../../../db/kernel/namespaces/bounds.ts'
import { tenantOf } from '../../../../db/kernel/operation.ts'
import { keepAnswer } from '../../../../db/gateway/cache/keep-answer.ts'
import type { OpenCall } from '../open-call.ts'

/** Keeps a whole answer of the first target for the next time, without making its caller wait. */
export function keepInCache(
  { services, principal, target }: OpenCall,
  record: CallRecord,
  { key, answer }: { readonly key: Buffer | null; readonly answer: ModelAnswer | null },
): void {
  const { outcome, provider, model } = record
  if (key === null || answer === null || outcome !== 'whole') return
  // An answer with something sensitive of its own is not stored as it is, and cannot be repeated otherwise.
  if (JSON.stringify(answer) !== JSON.stringify(record.answer)) return
  if (provider !== target.provider.id || model !== target.model) return
  if (!isCacheable(answer, services.limits.gateway_cached_bytes)) return
  const stored = JSON.parse(JSON.stringify(answer)) as JsonObject
  const { tenantId, namespace, captureId } = record
  const tenant = tenantOf(services.db, tenantId, boundsOf(principal))
  const kept = {
    key,
    namespace,
    provider,
    model,
    captureId,
    answer: stored,
    begunAt: record.at,
    now: services.now(),
    limits: services.limits,
  }
  keepAnswer(tenant, kept).catch((error: unknown) =>
    services.log.warn({ err: error, request_id: record.requestId }, 'an answer was not cached'),
  )
}
