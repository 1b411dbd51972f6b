/** Audit actions of merging, deletion and packages of the whole account. Each with its words for people, which follow the actor. */
export const OVERVIEW_ACTIONS = {
  'tenant.merged': 'merged a workspace into an account',
  'tenant.deleted': 'deleted the account',
  'tenant.purged': 'removed the data of a deleted account',
  'next_action.snoozed': 'postponed a suggestion',
  'account.exported': 'exported the account',
  'compliance_package.created': 'created a compliance package',
} as const
