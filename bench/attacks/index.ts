import type { Attack } from './attack.ts'
import { diskAttack } from './disk.ts'
import { fairness } from './fairness.ts'
import { forgedArchives } from './forged-archives.ts'
import { idempotencyAttack } from './idempotency.ts'

/** All attacks, in the order of the run. */
export const ATTACKS: readonly Attack[] = [forgedArchives, fairness, idempotencyAttack, diskAttack]
