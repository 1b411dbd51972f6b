/**
 * Returns the name of the lock that publications of a tenant share while they look at the states of their sources, and that the
 * flagging of what is built on a revoked artifact takes alone: it then finds every publication that saw no revocation.
 */
export function sourcesLock(tenantId: string): string {
  return `sources ${tenantId}`
}
