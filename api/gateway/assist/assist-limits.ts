import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import type { Limits } from '../../../core/gateway/limits.ts'
import type { DomainError } from '../../../core/kernel/errors.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { createRateLimiter } from '../../../db/kernel/rate-limits/rate-limiter.ts'
import { rateLimitHeaders, RateLimitedError } from '../../kernel/guard/rate-limits.ts'

/** The rest of a count. */
export interface Remaining {
  readonly remaining: number
  readonly headers: Readonly<Record<string, string>>
}

/** Counts of the assistant and of what is free, over all processes. */
export interface AssistLimits {
  /** Counts a chat of a tenant. Throws `rate_limited`. */
  chat(tenantId: string): Promise<Remaining>
  /** Counts a question to the documentation from an address without a key. Throws `rate_limited`. */
  docs(ip: string): Promise<Remaining>
  /** Counts a free question of an address. Throws `free_quota_exceeded`. */
  freeChat(ip: string): Promise<Remaining>
  /** Counts a free command of an address. Throws `free_quota_exceeded`. */
  freeCommand(ip: string): Promise<Remaining>
}

const HOUR_S = 3600
const DAY_S = 86_400

/** Opens the counts. */
export function createAssistLimits(db: Database, limits: Limits): AssistLimits {
  const counter = (name: string, points: number, durationS: number, isFree: boolean) => {
    const limiter = createRateLimiter(db, { name, points, durationS })
    return async (key: string): Promise<Remaining> => {
      const { isAllowed, remaining, resetMs } = await limiter.take(key)
      const resetS = Math.max(1, Math.ceil(resetMs / 1000))
      const headers = rateLimitHeaders(points, remaining, resetS, durationS)
      if (isAllowed) return { remaining, headers }
      if (isFree) throw freeQuotaExceeded(points, resetS)
      throw new RateLimitedError(headers, resetS)
    }
  }
  return {
    chat: counter('assistant-chat', limits.assistant_chats_per_tenant_hour, HOUR_S, false),
    docs: counter('docs-questions', limits.docs_questions_per_ip_day, DAY_S, false),
    freeChat: counter('free-chat', limits.free_chats_per_ip_day, DAY_S, true),
    freeCommand: counter('free-cli', limits.free_commands_per_ip_day, DAY_S, true),
  }
}

function freeQuotaExceeded(points: number, retryAfterS: number): DomainError {
  const message = `the ${points} free calls of this address are used up; a key has no such limit`
  return GATEWAY_ERRORS.free_quota_exceeded(message, { retryAfterS, details: { limit: points } })
}
