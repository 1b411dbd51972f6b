import type { MeterAmounts, MeterMonth } from '../../../core/billing/ports.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Counts the stored events of the control center, of which only the present number is known. */
export async function countEventMeters(op: Operation, { isCurrent }: MeterMonth): Promise<MeterAmounts> {
  if (!isCurrent) return {}
  const [row] = await op.read((q) =>
    q.selectFrom('control_events').select(q.fn.countAll<number>().as('events')).where('tenant_id', '=', op.tenantId),
  )
  return { stored_events: row?.events ?? 0 }
}
