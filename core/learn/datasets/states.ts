/** States of a version of a dataset. */
export const VERSION_STATES = ['queued', 'running', 'ready', 'failed'] as const
/** One of them. */
export type VersionState = (typeof VERSION_STATES)[number]

/** Sides of a row. */
export const SIDES = ['train', 'holdout'] as const
/** One of them. */
export type Side = (typeof SIDES)[number]
