import type { ModelAnswer } from '../../../../core/gateway/protocol/exchange/answer.ts'
import { cacheKey, largeCacheKey } from '../../../../core/gateway/routing/cache-key.ts'
import { targetAt } from '../../../../core/gateway/calls/target.ts'
import { GATEWAY_PROVIDERS } from '../../../../core/gateway/calls/providers.ts'
import { boundsOf } from '../../../../db/kernel/namespaces/bounds.ts'
import { tenantOf } from '../../../../db/kernel/operation.ts'
import { findAnswer } from '../../../../db/gateway/cache/find-answer.ts'
import type { AdmittedCall } from '../../gate/admit.ts'
import type { ReadyCall } from './ask-targets.ts'
import { ownFacts, type OwnAttempt } from './ask-own.ts'
import { leftOutHeaders } from '../left-out-headers.ts'
import { replyWith } from '../reply-with.ts'
import type { InferenceReply } from '../start-stream.ts'

type Cached =
  | { readonly kind: 'hit'; readonly reply: InferenceReply }
  /** The key is null where nothing may be kept. */
  | { readonly kind: 'miss'; readonly key: Buffer | null }

/**
 * Replies with the answer that the same request of the tenant got before, where its namespace caches. What keeps nothing
 * neither asks the cache nor fills it.
 */
export async function askCache(
  call: AdmittedCall,
  { reach, prepared }: ReadyCall,
  own: OwnAttempt | null,
): Promise<Cached> {
  const { settings, facts, services, dialect, body, plain, isLarge } = call
  if (settings.cache_mode === 'off' || facts.retention === 'none' || plain !== undefined)
    return { kind: 'miss', key: null }
  // Its provider goes on from what it keeps, where an answer of ours is unknown; and what is kept here may be forgotten meanwhile.
  if (call.continued?.isByIds === true) return { kind: 'miss', key: null }
  const { target, callerHeaders } = reach
  const request = { namespace: facts.namespace, dialect: dialect.name, target, callerHeaders, body }
  const key = isLarge ? await largeCacheKey(request) : cacheKey(request)
  const found = await findAnswer(tenantOf(services.db, facts.tenantId, boundsOf(call.principal)), key, services.now())
  const provider = GATEWAY_PROVIDERS.find(({ id }) => id === found?.provider)
  if (found === null || provider === undefined) return { kind: 'miss', key }
  const answer = found.answer as unknown as ModelAnswer
  const attempt = { provider: provider.id, model: found.model, failure: null, status: null, ms: 0 }
  const reply = await replyWith(call, answer, {
    target: targetAt(provider.id, found.model),
    own: { ...ownFacts(own), cache: 'hit' },
    attempts: own === null ? [attempt] : [own.attempt, attempt],
    usage: answer.usage,
    cacheKey: null,
  })
  const headers = { ...reply.headers, ...leftOutHeaders(prepared.leftOut) }
  return { kind: 'hit', reply: { ...reply, headers } }
}
