import { costOf, countedUsage } from '../../../core/gateway/calls/estimate.ts'
import type { Target } from '../../../core/gateway/calls/target.ts'
import type { Usage } from '../../../core/gateway/exchange/answer.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { GatewayServices } from '../services.ts'

/** How a call ended: as a whole, cut off by its provider, or left by its caller. */
export type Outcome = 'whole' | 'interrupted' | 'left'

/** A call that a provider has answered. */
export interface AnsweredCall {
  readonly services: GatewayServices
  readonly principal: Principal
  readonly requestId: string
  readonly target: Target
  readonly startedAt: number
  readonly inputChars: number
}

/**
 * Records what a call used, once its answer is over. Tokens that the provider did not count are estimated, which the log
 * states; a model without a known price adds no cost.
 */
export function settleCall(
  { services, principal, requestId, target, startedAt, inputChars }: AnsweredCall,
  answer: { readonly usage: Usage | null; readonly outputChars: number; readonly outcome: Outcome },
): void {
  const { outcome, outputChars } = answer
  const usage = countedUsage(answer.usage, { inputChars, outputChars, isWhole: outcome === 'whole' })
  const latencyMs = performance.now() - startedAt
  services.invocations.recordCall({
    tenantId: principal.tenantId,
    chargedTo: chargedTo(principal),
    units: services.limits.quota_units_per_gateway_call,
    latencyUs: latencyMs * 1000,
    promptTokens: usage.inputTokens,
    newTokens: usage.outputTokens,
    ranHere: false,
    costUsdMicros: costOf(target, usage),
  })
  services.log[outcome === 'interrupted' ? 'warn' : 'info'](
    {
      request_id: requestId,
      provider: target.provider.id,
      outcome,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      estimated: usage.isEstimated,
      ms: Math.round(latencyMs),
    },
    'model call',
  )
}
