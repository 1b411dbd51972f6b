/** States of a cloud job: it waits or works, and ends in one of the last three. */
export const CLOUD_STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const
/** The state of a cloud job. */
export type CloudState = (typeof CLOUD_STATES)[number]

/** Returns true for a state that another may follow. */
export function isUnfinished(state: CloudState): boolean {
  return state === 'queued' || state === 'running'
}
