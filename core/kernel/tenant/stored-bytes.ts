import type { Limits } from '../limits.ts'
import type { PlanId } from './plans.ts'

/**
 * Returns the bytes that a tenant may store in the blob store: its plan's, or those of a workspace without an account.
 */
export function storedBytesOf(
  tenant: { readonly isAnonymous: boolean; readonly plan: PlanId },
  limits: Limits,
): number {
  return tenant.isAnonymous ? limits.stored_bytes_anonymous : limits[`stored_bytes_${tenant.plan}`]
}
