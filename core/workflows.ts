import { Mail } from './accounts/workflows.ts'
import { Billing, Dunning } from './billing/workflows.ts'
import { Compile, Export } from './compile/workflows.ts'
import type { RequestedFamily, WorkflowFamily } from './kernel/workflows/define-workflow.ts'
import { Ledger } from './ledger/workflows.ts'
import { Deletion, EarlierHousekeeping, EarlierReconcile, Housekeeping, Reconcile } from './overview/workflows.ts'

/** The families that verbs start through the outbox. */
export const REQUESTED_FAMILIES: readonly RequestedFamily[] = [Compile, Export, Mail, Billing, Dunning, Deletion]

/** Every family of workflows. */
export const FAMILIES: readonly WorkflowFamily[] = [
  ...REQUESTED_FAMILIES,
  Ledger,
  Reconcile,
  Housekeeping,
  EarlierReconcile,
  EarlierHousekeeping,
]

/** Finds the family that an outbox row names. Throws an `Error` for a name that no family has. */
export function familyOf(name: string): RequestedFamily {
  const family = REQUESTED_FAMILIES.find((each) => each.name === name)
  if (family === undefined) throw new Error(`no family of workflows is named ${name}`)
  return family
}
