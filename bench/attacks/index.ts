import type { Attack } from './attack.ts'

/** All attacks, in the order of the run. */
export const ATTACKS: readonly Attack[] = []
