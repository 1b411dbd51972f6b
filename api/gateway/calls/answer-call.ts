import { CALLER_TABLE } from '../../../core/gateway/protocol/dialects/table.ts'
import type { CallerDialect } from '../../../core/gateway/protocol/dialects/dialect.ts'
import { askOwn } from './ask/ask-own.ts'
import { askTargets, readyCall } from './ask/ask-targets.ts'
import { admit } from '../gate/admit.ts'
import { promiseContentRoom } from '../captures/settle-content.ts'
import { passGate, type GatedCall } from '../gate/pass-gate.ts'
import { openCall, type InferenceCall } from './open-call.ts'
import { continueResponse } from './ask/continue-response.ts'
import { askCache } from './ask/ask-cache.ts'
import { readPlan } from './read-plan.ts'
import type { InferenceReply } from './start-stream.ts'

/** The dialect of embeddings and moderations: they have their own bodies and OpenAI's errors. */
export const PLAIN_DIALECT: CallerDialect = CALLER_TABLE['chat-completions']

/**
 * Answers a call: by the own artifact of its namespace where that is sure, else by its target, and where that fails before
 * the first part of its answer, by the targets that the header `x-svc-route-chain` or the namespace lists. Takes one call
 * from the quota and returns it when no target answers. Throws what refuses the call before it is sent, `rate_limited` for a
 * tenant with too many calls under way, and the first target's error in the caller's terms.
 */
export async function answerCall(call: InferenceCall): Promise<InferenceReply> {
  const { services, principal, visitor } = call
  const { limits } = services
  const leave =
    visitor === undefined
      ? services.streams.enter(`model calls of ${principal.tenantId}`, limits.gateway_calls_per_tenant)
      : services.streams.enter(`model calls from ${visitor}`, limits.gateway_calls_per_visitor)
  try {
    const reply = await answerOpen(await passGate(await continueResponse(openCall(call))))
    void reply.over.then(leave)
    return reply
  } catch (error) {
    leave()
    throw error
  }
}

async function answerOpen(call: GatedCall): Promise<InferenceReply> {
  await promiseContentRoom(call)
  try {
    return await answerPromised(call)
  } catch (error) {
    call.services.captures.room.giveUp(call.facts.captureId)
    throw error
  }
}

async function answerPromised(call: GatedCall): Promise<InferenceReply> {
  const plan = await readPlan(call)
  const [target = call.target] = plan.targets
  const first = await readyCall(call, target, true)
  const admitted = await admit(call, plan)
  try {
    const own = await askOwn(admitted)
    if (own.kind === 'answered') return own.reply
    const cached = await askCache(admitted, first, own.attempt)
    if (cached.kind === 'hit') return cached.reply
    return await askTargets(admitted, plan, first, { before: own.attempt, cacheKey: cached.key })
  } catch (error) {
    await admitted.release()
    throw error
  }
}
