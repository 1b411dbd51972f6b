import type { Attack } from './attack.ts'
import { diskAttack } from './disk.ts'
import { fairness } from './fairness.ts'
import { FLOODS } from './floods.ts'
import { forgedArchives } from './forged-archives.ts'
import { idempotencyAttack } from './idempotency.ts'
import { oddRows } from './odd-rows.ts'
import { SLOW_BODIES } from './slow-bodies.ts'

/** All attacks, in the order of the run. */
export const ATTACKS: readonly Attack[] = [
  forgedArchives,
  oddRows,
  FLOODS,
  SLOW_BODIES,
  fairness,
  idempotencyAttack,
  diskAttack,
]
