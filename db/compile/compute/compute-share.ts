import type { Share } from '../../../core/kernel/fair/flows.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { Database } from '../../kernel/database.ts'
import type { TenantKind } from '../../kernel/tenant/tenant.ts'

/** The flow that all anonymous workspaces share. */
const ANONYMOUS_FLOW = 'anonymous'

/** Whose compute it is, and what part of the slots that is worth. */
export interface ComputeOwner {
  readonly tenantId: string
  readonly kind: TenantKind
  readonly plan: PlanId
}

/** The tenant of a job. Throws `not_found`. */
export async function computeOwnerOf(
  db: Database,
  work: { readonly jobId: string } | { readonly exportId: string },
): Promise<ComputeOwner> {
  const [table, id] = 'jobId' in work ? (['compile_jobs', work.jobId] as const) : (['exports', work.exportId] as const)
  const [owner] = await db.query<ComputeOwner>(
    `select t.id as "tenantId", t.kind, t.plan from ${table} w join tenants t on t.id = w.tenant_id where w.id = $1`,
    [id],
  )
  if (owner === undefined) throw new DomainError('not_found', 'no such job')
  return owner
}

/** The share of an owner: a flow of its own with the weight of its plan, or one part of the anonymous flow. */
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
