/** Kinds of tenant: an account, an unclaimed workspace, or the ledger of the service itself. */
export const TENANT_KINDS = ['user', 'anonymous', 'operator'] as const
/** A kind of tenant. */
export type TenantKind = (typeof TENANT_KINDS)[number]
