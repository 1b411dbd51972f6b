import type { Attack } from './attack.ts'
import { FLOODS } from './floods.ts'
import { SLOW_BODIES } from './slow-bodies.ts'

/** All attacks, in the order of the run. */
export const ATTACKS: readonly Attack[] = [FLOODS, SLOW_BODIES]
