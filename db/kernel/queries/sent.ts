import { enterAs, type Reach } from '../tenant/tenant-role.ts'
import type { Sent } from './batch.ts'
import { planNameOf } from './prepared.ts'

export const BEGIN: Sent = { text: 'begin', values: [], name: 'svc_begin' }
export const BEGIN_READ: Sent = { text: 'begin read only', values: [], name: 'svc_begin_read' }
export const COMMIT: Sent = { text: 'commit', values: [], name: 'svc_commit' }

/** Returns a statement as it is sent, under its name when connections keep its plan. */
export function sentOf(text: string, values: readonly unknown[]): Sent {
  return { text, values, name: planNameOf(text) }
}

/** Returns the statement that narrows a transaction to its reach. */
export function entering(reach: Reach): Sent {
  const { text, values } = enterAs(reach)
  return sentOf(text, values)
}
