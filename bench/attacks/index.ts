import type { Attack } from './attack.ts'
import { idempotencyAttack } from './idempotency.ts'

/** All attacks, in the order of the run. */
export const ATTACKS: readonly Attack[] = [idempotencyAttack]
