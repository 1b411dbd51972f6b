/** Audit actions of plans and payment. Each with its words for people, which follow the actor. */
export const BILLING_ACTIONS = {
  'billing.plan_changed': 'changed the plan',
  'billing.checkout_started': 'started a checkout',
  'billing.cancel_requested': 'cancelled the plan',
  'billing.tax_updated': 'changed the tax details',
  'billing.payment_event': 'reported a payment event',
  'billing.dunning_opened': 'recorded a failed payment',
  'billing.dunning_suspended': 'suspended the account for an unpaid invoice',
  'billing.dunning_recovered': 'recorded the payment of an overdue invoice',
  'billing.refund_requested': 'requested a refund',
  'billing.refunded': 'refunded a payment',
  'billing.refund_failed': 'could not refund a payment',
  'billing.plan_granted': 'granted a plan',
  'billing.cancel_taken_back': 'kept the plan after a cancellation',
  'billing.tax_refused': 'could not store the tax details at the payment processor',
} as const
