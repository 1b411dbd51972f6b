import type { Attack } from './attack.ts'
import { diskAttack } from './disk.ts'

/** All attacks, in the order of the run. */
export const ATTACKS: readonly Attack[] = [diskAttack]
