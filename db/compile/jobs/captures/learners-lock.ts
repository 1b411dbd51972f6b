/**
 * Returns the name of the lock under which a forgetting follows the adapters of a tenant, and a distillation that begins takes
 * over the flags of its adapters.
 */
export function learnersLock(tenantId: string): string {
  return `learners ${tenantId}`
}
