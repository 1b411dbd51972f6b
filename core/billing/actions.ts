/** Audit actions of plans and payment. */
export const BILLING_ACTIONS = [
  'billing.plan_changed',
  'billing.checkout_started',
  'billing.cancel_requested',
  'billing.tax_updated',
  'billing.payment_event',
  'billing.dunning_opened',
  'billing.dunning_suspended',
  'billing.dunning_recovered',
  'billing.refund_requested',
  'billing.refunded',
  'billing.refund_failed',
  'billing.plan_granted',
  'billing.cancel_taken_back',
  'billing.tax_refused',
] as const
