import { worstCaseOf } from '../../../core/gateway/calls/worst-case.ts'
import type { Reservation } from '../../../db/gateway/budgets/budgets.ts'
import { reserveMost } from '../../../db/gateway/budgets/reserve-most.ts'
import type { CallPlan } from '../calls/read-plan.ts'
import type { GatedCall } from './pass-gate.ts'

declare const ADMITTED: unique symbol

/** A gated call whose quota and budget are taken: `askTargets` sends no other. */
export interface AdmittedCall extends GatedCall {
  readonly [ADMITTED]: true
  /** The amount reserved of the namespace's budget; null without one. */
  readonly reservation: Reservation | null
  /** Returns what was taken, for a call that nothing answered. */
  release(): Promise<void>
}

/**
 * Takes a call from the quota of its tenant and the most that it can cost from the budget of its namespace. Throws
 * `quota_exhausted`, `budget_exceeded`, and `unpriced_model` for a model whose cost cannot be bounded.
 */
export async function admit(call: GatedCall, plan: CallPlan): Promise<AdmittedCall> {
  const { services, principal, visitor } = call
  const reservation = await reserve(call, plan)
  try {
    // A caller without an account has no quota: its address has a limit.
    const charge =
      visitor === undefined ? await services.meter.take(principal, services.limits.quota_units_per_gateway_call) : null
    const release = async (): Promise<void> => {
      charge?.refund()
      await reservation?.settle(0)
    }
    const admitted: Omit<AdmittedCall, typeof ADMITTED> = { ...call, reservation, release }
    return admitted as AdmittedCall
  } catch (error) {
    await reservation?.settle(0)
    throw error
  }
}

async function reserve(call: GatedCall, { targets }: CallPlan): Promise<Reservation | null> {
  const { services, settings, facts, body, plain } = call
  return await reserveMost(services.budgets, {
    tenantId: facts.tenantId,
    namespace: facts.namespace,
    settings,
    calls: targets.map((target) => ({ model: target.model, most: () => worstCaseOf(target, body, plain) })),
  })
}
