/** What a tenant is: an account, a workspace that is not claimed, or the ledger of the service itself. */
export const TENANT_KINDS = ['user', 'anonymous', 'operator'] as const
/** A kind of tenant. */
export type TenantKind = (typeof TENANT_KINDS)[number]
