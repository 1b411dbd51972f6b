import type { Attack } from './attack.ts'
import { fairness } from './fairness.ts'

/** All attacks, in the order of the run. */
export const ATTACKS: readonly Attack[] = [fairness]
