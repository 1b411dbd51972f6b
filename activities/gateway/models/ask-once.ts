import { OF_THE_OPERATOR } from '../../../core/gateway/calls/answer-error.ts'
import { charsIn, countedUsage, type CountedUsage } from '../../../core/gateway/calls/estimate.ts'
import { gateRequest } from '../../../core/gateway/calls/gate-request.ts'
import type { ModelCaller } from '../../../core/gateway/ports.ts'
import { usageOf } from '../../../core/gateway/protocol/exchange/answer.ts'
import { costMicros } from '../../../core/gateway/providers/prices.ts'
import type { ProviderReply, ProviderRequest } from '../../../core/gateway/providers/provider.ts'
import { ProviderError } from '../../../core/gateway/providers/provider-error.ts'
import { createCallSums } from '../../../db/billing/usage/call-sums.ts'
import { recordUsage } from '../../../db/billing/usage/record-usage.ts'
import { reserveMost } from '../../../db/gateway/budgets/reserve-most.ts'
import { requireTenant } from '../../../db/gateway/models/require-tenant.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import type { ModelDeps } from './deps.ts'
import type { Way } from './ways.ts'

/** One question on its way to a model. */
interface Asking {
  readonly caller: ModelCaller
  readonly way: Way
  readonly request: ProviderRequest
  readonly signal: AbortSignal
}

/**
 * Asks one question as the gateway asks for a caller: gate, budget and quota first, then the provider, then usage. A
 * question without an answer takes no quota. It takes no budget either, unless the provider may bill it: then the most that it
 * can have cost is charged.
 */
export async function askOnce(deps: ModelDeps, asking: Asking): Promise<ProviderReply> {
  const { caller, way, request, signal } = asking
  const { tenantId, namespace } = caller
  const settings = await deps.namespaces.read(tenantId, namespace)
  const forgotten = await deps.namespaces.forgotten(tenantId)
  const gated = gateRequest(request, { namespace, settings, forgotten })
  const { provider, isOwnKey } = await way.ready(signal)
  const units = deps.limits.quota_units_per_gateway_call
  const reservation = await reserveMost(deps.budgets, {
    tenantId,
    namespace,
    settings,
    calls: [{ model: way.identity.model, most: () => way.most(gated.request, gated.body) }],
  })
  try {
    const { plan, quotaOverride } = await requireTenant(deps.db, tenantId)
    const charge = await deps.meter.take({ tenantId, plan, quota: quotaOverride }, units)
    try {
      signal.throwIfAborted()
      const reply = await provider.ask(gated.request, signal).catch(async (error: unknown) => {
        if (isCostOpen(error, signal)) await settled(deps, [reservation?.chargeAll() ?? Promise.resolve()])
        throw error
      })
      const outputChars = reply.samples.reduce((sum, { text }) => sum + text.length, 0)
      const usage = countedUsage(reply.usage === null ? null : usageOf(reply.usage), {
        inputChars: charsIn(gated.body),
        outputChars,
        isWhole: true,
      })
      const { prices } = way.identity
      const cost = prices === null ? 0 : costMicros(prices, usage)
      await settled(deps, [
        reservation?.settle(cost) ?? Promise.resolve(),
        recordCall(deps, caller, { reply, usage, cost, units }),
      ])
      return { ...reply, samples: reply.samples.map((sample) => ({ ...sample, text: gated.restore(sample.text) })) }
    } catch (error) {
      charge.refund()
      throw isOwnKey ? error : withoutAccount(error)
    }
  } catch (error) {
    await settled(deps, [reservation?.settle(0) ?? Promise.resolve()])
    throw error
  }
}

/** A question that was cancelled on its way may have reached the provider. */
function isCostOpen(error: unknown, signal: AbortSignal): boolean {
  return error instanceof ProviderError ? error.leavesCostOpen : signal.aborted
}

/** An answer that was paid for is not lost because its cost could not be written down. */
async function settled({ db }: ModelDeps, works: readonly Promise<void>[]): Promise<void> {
  for (const end of await Promise.allSettled(works)) {
    if (end.status === 'rejected') db.warn(`cost of a model's answer: ${String(end.reason)}`)
  }
}

async function recordCall(
  { db, now }: ModelDeps,
  { tenantId, namespace, teamId, memberId }: ModelCaller,
  {
    reply,
    usage,
    cost,
    units,
  }: {
    readonly reply: ProviderReply
    readonly usage: CountedUsage
    readonly cost: number
    readonly units: number
  },
): Promise<void> {
  const sums = createCallSums()
  const call = {
    tenantId,
    chargedTo: { namespace, teamId: teamId ?? '', memberId: memberId ?? '' },
    units,
    latencyUs: reply.latencyMs * 1000,
    promptTokens: usage.inputTokens,
    newTokens: usage.outputTokens,
    isEstimated: usage.isEstimated,
    ranHere: false,
    costUsdMicros: cost,
  }
  sums.add(call, now())
  // A transaction that is repeated records the same rows.
  const { rows } = sums.drain()
  await tenantOf(db, tenantId).write(async (tx) => await recordUsage(tx, rows))
}

/** Removes a provider's words about the operator's key, since they name the operator's account. */
function withoutAccount(error: unknown): unknown {
  if (!(error instanceof ProviderError)) return error
  const message = OF_THE_OPERATOR[error.failure]
  if (message === undefined) return error
  const { failure, status, retryAfterS, requestId, word } = error
  return new ProviderError(failure, message, { status, retryAfterS, requestId, word })
}
