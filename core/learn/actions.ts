/** Audit actions of gates and holdouts. Each with its words for people, which follow the actor. */
export const LEARN_ACTIONS = {
  'gate.registered': 'registered a gate',
  'gate.decided': 'decided a gate',
  'gate.failed': 'could not decide a gate',
  'holdout.stored': 'sealed a holdout',
  'holdout.revealed': 'revealed a holdout',
  'holdout.deleted': 'deleted a holdout',
} as const
