/** The life of a holdout: sealed, then revealed for good; deleted at any time. */
export const HOLDOUT_STATES = ['sealed', 'revealed', 'deleted'] as const
