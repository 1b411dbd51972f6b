import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '../../kernel/json/json.ts'
import { canonicalHash } from '../../kernel/json/json-pieces.ts'
import { nestsTooDeep } from '../../kernel/json/json-text.ts'
import type { ModelAnswer } from '../protocol/exchange/answer.ts'
import type { CallerDialectName } from '../providers/provider.ts'
import type { Target } from '../calls/target.ts'

/** Facts that make two requests the same. */
export interface CachedRequest {
  readonly namespace: string
  readonly dialect: CallerDialectName
  readonly target: Target
  /** Headers that a provider heeds. */
  readonly callerHeaders: Readonly<Record<string, string>>
  /** As it is sent on. */
  readonly body: JsonObject
}

/** Members that change the form of an answer and not the answer. */
const OF_FORM: ReadonlySet<string> = new Set(['stream', 'stream_options'])

/** The key of a request in the cache of its tenant: SHA-256 of the RFC 8785 form of all that it depends on. */
export function cacheKey(request: CachedRequest): Buffer {
  return createHash('sha256')
    .update(canonicalJson(keyFacts(request)))
    .digest()
}

/** The same of a request with a large body, made while the event loop turns. */
export async function largeCacheKey(request: CachedRequest): Promise<Buffer> {
  return Buffer.from(await canonicalHash(keyFacts(request)), 'hex')
}

function keyFacts({ namespace, dialect, target, callerHeaders, body }: CachedRequest): JsonObject {
  return {
    namespace,
    dialect,
    target: `${target.provider.id}:${target.model}`,
    headers: { ...callerHeaders },
    asked: Object.fromEntries(Object.entries(body).filter(([member]) => !OF_FORM.has(member))),
  }
}

/**
 * True for an answer that came to its own end, and that every dialect can say again: one that was cut off, or refused, is asked
 * for again.
 */
export function isCacheable(answer: ModelAnswer, mostBytes: number): boolean {
  const [choice, ...more] = answer.choices
  if (choice === undefined || more.length > 0) return false
  if (choice.finish !== 'stop' && choice.finish !== 'stop_sequence' && choice.finish !== 'tool_calls') return false
  if (choice.parts.some((part) => part.kind === 'tool_call' && nestsTooDeep(part.arguments))) return false
  return JSON.stringify(answer).length <= mostBytes
}
