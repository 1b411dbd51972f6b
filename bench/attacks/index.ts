import { boundKeys } from './accounts/bound-keys.ts'
import { identityProviders } from './accounts/identity-providers.ts'
import { signUpProbes } from './accounts/sign-up-probes.ts'
import type { Attack } from './attack.ts'
import { refusedEvents } from './billing/refused-events.ts'
import { fairness } from './compile/fairness.ts'
import { forgedArchives } from './compile/forged-archives.ts'
import { oddRows } from './compile/odd-rows.ts'
import { FLOODS } from './requests/floods.ts'
import { idempotencyAttack } from './requests/idempotency.ts'
import { hosts } from './requests/hosts.ts'
import { publicLimits } from './requests/public-limits.ts'
import { schemathesis } from './requests/schemathesis.ts'
import { SLOW_BODIES } from './requests/slow-bodies.ts'
import { diskAttack } from './storage/disk.ts'
import { downloads } from './storage/downloads.ts'
import { lostWorkflows } from './temporal/lost-workflows.ts'

/**
 * All attacks, in the order of the run: those with the same limits one after the other, since the service is restarted
 * between others. docs/figures.md describes them, and names the checks that are runs of their own.
 */
export const ATTACKS: readonly Attack[] = [
  forgedArchives,
  oddRows,
  FLOODS,
  SLOW_BODIES,
  fairness,
  idempotencyAttack,
  publicLimits,
  hosts,
  signUpProbes,
  boundKeys,
  downloads,
  identityProviders,
  refusedEvents,
  lostWorkflows,
  diskAttack,
  // Last: it leaves jobs behind that still run.
  schemathesis,
]
