/** Payment status of a tenant. */
export const BILLING_STATUSES = ['free', 'pending', 'active', 'past_due', 'suspended', 'cancelled'] as const
/** One of them. */
export type BillingStatus = (typeof BILLING_STATUSES)[number]
