/** Audit actions of merging, deletion and packages of the whole account. */
export const OVERVIEW_ACTIONS = [
  'tenant.merged',
  'tenant.deleted',
  'tenant.purged',
  'next_action.snoozed',
  'account.exported',
  'compliance_package.created',
] as const
