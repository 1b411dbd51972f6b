import type { Limits } from '../../core/billing/limits.ts'
import type { Operation } from '../kernel/operation.ts'
import { projectBilling } from './standing/project.ts'
import { noteRemaining, type BillingWork } from './standing/remaining.ts'

/** Applies changes that are due, such as the end of a paid period, and returns the remaining ones. */
export async function settleBilling(op: Operation, input: { readonly limits: Limits }): Promise<BillingWork> {
  return await op.write(async (tx) => {
    const projected = await projectBilling(tx, op, { limits: input.limits, reason: 'period-end' })
    return projected?.work ?? (await noteRemaining(tx, op.tenantId, op.now()))
  })
}
