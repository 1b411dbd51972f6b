import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { WhenKept } from '../../kernel/guard/idempotency.ts'
import type { LearnServices } from '../services.ts'
import type { GateBody } from './posted.ts'

/** A call that makes a measured gate. */
export interface GateCall {
  readonly op: Operation
  readonly principal: Principal
  readonly services: LearnServices
  readonly whenKept: WhenKept
  readonly body: GateBody
}

/** Charges a gate by its rows and makes it; what refuses it gives the units back. Returns its id. */
export async function charged(
  { op, principal, services, whenKept }: GateCall,
  rows: number,
  make: () => Promise<string>,
): Promise<string> {
  const units = Math.max(1, Math.ceil(rows / services.limits.gate_unit_rows))
  const charge = await services.meter.take(principal, units)
  const id = await make().catch((error: unknown) => {
    charge.refund()
    throw error
  })
  const record = { tenantId: op.tenantId, chargedTo: chargedTo(principal), units }
  whenKept(
    () => services.invocations.recordEvent(record),
    () => charge.refund(),
  )
  return id
}
