import { CALLER_TABLE } from '../../../core/gateway/dialects/table.ts'
import type { CallerDialect } from '../../../core/gateway/dialects/dialect.ts'
import { askTargets, readyCall } from './ask-targets.ts'
import { openCall, type InferenceCall, type OpenCall } from './open-call.ts'
import { readPlan } from './read-plan.ts'
import type { InferenceReply } from './start-stream.ts'

/** The dialect of embeddings and moderations: they have their own bodies and OpenAI's errors. */
export const PLAIN_DIALECT: CallerDialect = CALLER_TABLE['chat-completions']

/**
 * Answers a call: by its target, and where that fails before the first part of its answer, by the targets that the
 * header `x-svc-route-chain` lists. Takes one call from the quota and returns it when no target answers. Throws what
 * refuses the call before it is sent, `rate_limited` for a tenant with too many calls under way, and the first target's
 * error in the caller's terms.
 */
export async function answerCall(call: InferenceCall): Promise<InferenceReply> {
  const { services, principal } = call
  const leave = services.streams.enter(`model calls of ${principal.tenantId}`, services.limits.gateway_calls_per_tenant)
  try {
    const reply = await answerOpen(openCall(call))
    if (reply.raw.kind === 'stream') reply.raw.stream.once('close', leave)
    else leave()
    return reply
  } catch (error) {
    leave()
    throw error
  }
}

async function answerOpen(call: OpenCall): Promise<InferenceReply> {
  const { services, principal } = call
  const plan = readPlan(call)
  const first = await readyCall(call, call.target, true)
  const charge = await services.meter.take(principal, services.limits.quota_units_per_gateway_call)
  try {
    return await askTargets(call, plan, first)
  } catch (error) {
    charge.refund()
    throw error
  }
}
