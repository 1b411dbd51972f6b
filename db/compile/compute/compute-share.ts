import type { Limits } from '../../../core/compile/limits.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { TenantKind } from '../../../core/kernel/tenant/tenant-kinds.ts'
import type { Share } from '../../../core/kernel/threads/fair/flows.ts'

/** The flow that all anonymous workspaces share. */
const ANONYMOUS_FLOW = 'anonymous'

/** The tenant whose compute it is, and the share of the slots. */
export interface ComputeOwner {
  readonly tenantId: string
  readonly kind: TenantKind
  readonly plan: PlanId
}

/** Returns the share of an owner: a flow of its own with the weight of its plan, or one part of the anonymous flow. */
export function shareOf({ tenantId, kind, plan }: ComputeOwner, limits: Limits): Share {
  const isAnonymous = kind === 'anonymous'
  const weight = isAnonymous ? limits.compute_weight_anonymous : limits[`compute_weight_${plan}`]
  return {
    flow: isAnonymous ? ANONYMOUS_FLOW : `tenant ${tenantId}`,
    member: tenantId,
    weight: Math.max(weight, LEAST_WEIGHT),
  }
}

/** A weight of 0 would never get a slot. */
const LEAST_WEIGHT = 0.001
