import * as accounts from './accounts/workflows.ts'
import * as billing from './billing/workflows.ts'
import * as compile from './compile/workflows.ts'
import type { RequestedFamily, WorkflowFamily } from './kernel/workflows/define-workflow.ts'
import * as gateway from './gateway/workflows.ts'
import * as learn from './learn/workflows.ts'
import * as ledger from './ledger/workflows.ts'
import * as overview from './overview/workflows.ts'

type Family = WorkflowFamily | RequestedFamily

/** Every family of workflows: all that the files of the areas export. */
export const FAMILIES: readonly Family[] = [ledger, accounts, billing, gateway, compile, learn, overview].flatMap(
  (area) => Object.values<Family>(area),
)

/** The families that verbs start through the outbox. */
export const REQUESTED_FAMILIES: readonly RequestedFamily[] = FAMILIES.filter((family) => 'read' in family)

/** Finds the family that an outbox row names. Throws an `Error` for a name that no family has. */
export function familyOf(name: string): RequestedFamily {
  const family = REQUESTED_FAMILIES.find((each) => each.name === name)
  if (family === undefined) throw new Error(`no family of workflows is named ${name}`)
  return family
}
