import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import type { NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { Budgets, Reservation } from './budgets.ts'

const MICROS_PER_USD = 1_000_000

/**
 * Reserves the most that a call can cost, whichever of its targets answers; null in a namespace without a budget. Throws
 * `budget_exceeded`, and `unpriced_model` for a model whose cost cannot be bounded.
 */
export async function reserveMost(
  budgets: Budgets,
  {
    tenantId,
    namespace,
    settings,
    calls,
  }: {
    readonly tenantId: string
    readonly namespace: string
    readonly settings: Pick<NamespaceSettings, 'budget_usd_month'>
    /** The targets; `most` is in millionths of a US dollar, null where no price is known. */
    readonly calls: readonly { readonly model: string; readonly most: () => number | null }[]
  },
): Promise<Reservation | null> {
  if (settings.budget_usd_month === null) return null
  let micros = 0
  for (const { model, most: mostOf } of calls) {
    const most = mostOf()
    if (most === null) {
      throw invalidField(
        'model',
        `${model} has no known price, and the namespace ${namespace} has a budget that its calls are kept within`,
        GATEWAY_ERRORS.unpriced_model,
      )
    }
    micros = Math.max(micros, most)
  }
  const capMicros = Math.round(settings.budget_usd_month * MICROS_PER_USD)
  return await budgets.reserve({ tenantId, namespace, capMicros, micros })
}
