import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { TenantKind } from '../../../core/kernel/tenant/tenant-kinds.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import type { Share } from '../../../core/kernel/threads/fair/flows.ts'

/** The flow that all anonymous workspaces share. */
const ANONYMOUS_FLOW = 'anonymous'

/** The tenant whose compute it is, and the share of the slots. */
export interface ComputeOwner {
  readonly tenantId: string
  readonly kind: TenantKind
  readonly plan: PlanId
}

/** Work that computes: of a compile, of one of its exports, of an indexing, or of a later area, which names its tenant alone. */
export type ComputeWork =
  | { readonly jobId: string }
  | { readonly exportId: string }
  | { readonly indexId: string }
  | { readonly datasetId: string; readonly tenantId: string }
  | { readonly evaluationId: string; readonly tenantId: string }
  | { readonly gateId: string; readonly tenantId: string }
  | { readonly runId: string; readonly tenantId: string }
  | { readonly bakeoffId: string; readonly tenantId: string }
  | { readonly measurementId: string; readonly tenantId: string }

/** Returns the tenant of work. Throws `not_found`. */
export async function computeOwnerOf(from: Reader, work: ComputeWork): Promise<ComputeOwner> {
  const [owner] = await from.read((q) => {
    const tenants = q.selectFrom('tenants as t').select(['t.id as tenantId', 't.kind', 't.plan'])
    if ('tenantId' in work) return tenants.where('t.id', '=', work.tenantId)
    if ('indexId' in work) {
      return tenants.innerJoin('document_indexes as w', 'w.tenant_id', 't.id').where('w.id', '=', work.indexId)
    }
    return 'jobId' in work
      ? tenants.innerJoin('compile_jobs as w', 'w.tenant_id', 't.id').where('w.id', '=', work.jobId)
      : tenants.innerJoin('exports as w', 'w.tenant_id', 't.id').where('w.id', '=', work.exportId)
  })
  if (owner === undefined) throw KERNEL_ERRORS.not_found('no such job')
  return owner
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
