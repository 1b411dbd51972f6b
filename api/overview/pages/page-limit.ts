import type { Context } from 'koa'
import { PAGE_FILES } from '../../kernel/guard/public-limits.ts'
import type { RateLimits } from '../../kernel/guard/rate-limits.ts'
import type { CallState } from '../../kernel/observe.ts'

/** Counts one file of a page. Throws `rate_limited`. */
export async function limitPageFiles(ctx: Context, rateLimits: RateLimits): Promise<void> {
  const call: CallState = ctx.state['call']
  await rateLimits.take(PAGE_FILES, call.ip)
}
