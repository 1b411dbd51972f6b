import type { Attack } from './attack.ts'
import { oddRows } from './odd-rows.ts'

/** All attacks, in the order of the run. */
export const ATTACKS: readonly Attack[] = [oddRows]
