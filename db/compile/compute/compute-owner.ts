import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import type { TenantAccess } from '../../kernel/operation.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import type { Reads, Statement } from '../../kernel/queries/typed.ts'
import { checkCompute, usedCompute } from './allowance.ts'
import { computeDayOf } from './compute-day.ts'
import type { ComputeOwner } from './compute-share.ts'

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
export async function computeOwnerOf(op: TenantAccess, work: ComputeWork): Promise<ComputeOwner> {
  const [owner] = await op.read((q) => ownerOf(q, work))
  return known(owner)
}

/** Does the same, and throws what `requireCompute` throws, in one round trip. */
export async function meteredOwnerOf(
  op: TenantAccess,
  work: ComputeWork,
  { limits, now }: { readonly limits: Limits; readonly now: Date },
): Promise<ComputeOwner> {
  const [[owner], [used]] = await op.read((q) => [
    ownerOf(q, work),
    usedCompute({ tenantId: op.tenantId, day: computeDayOf(now) }),
  ])
  checkCompute(used, { limits, now })
  return known(owner)
}

function known(owner: ComputeOwner | undefined): ComputeOwner {
  if (owner === undefined) throw KERNEL_ERRORS.not_found('no such job')
  return owner
}

const ownerOfJob = prepared((q, { jobId }: { readonly jobId: string }) =>
  q
    .selectFrom('tenants as t')
    .innerJoin('compile_jobs as w', 'w.tenant_id', 't.id')
    .select(['t.id as tenantId', 't.kind', 't.plan'])
    .where('w.id', '=', jobId),
)

function ownerOf(q: Reads, work: ComputeWork): Statement<ComputeOwner> {
  if ('jobId' in work) return ownerOfJob({ jobId: work.jobId })
  const tenants = q.selectFrom('tenants as t').select(['t.id as tenantId', 't.kind', 't.plan'])
  if ('tenantId' in work) return tenants.where('t.id', '=', work.tenantId)
  if ('indexId' in work) {
    return tenants.innerJoin('document_indexes as w', 'w.tenant_id', 't.id').where('w.id', '=', work.indexId)
  }
  return tenants.innerJoin('exports as w', 'w.tenant_id', 't.id').where('w.id', '=', work.exportId)
}
