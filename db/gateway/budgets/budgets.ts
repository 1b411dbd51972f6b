import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import { periodOf } from '../../billing/quota/period.ts'
import type { Database } from '../../kernel/database.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { touchReservations } from '../across/touch-reservations.ts'

/** The highest cost of a call, to reserve of the budget of a namespace. */
export interface BudgetRequest {
  readonly tenantId: string
  readonly namespace: string
  /** Millionths of a US dollar, for the calendar month (UTC). */
  readonly capMicros: number
  readonly micros: number
}

/** A part of a budget that is reserved for one call. It is settled once: what comes later changes nothing. */
export interface Reservation {
  /** Charges what the call cost and releases the rest; 0 for a call that was not made. */
  settle(costMicros: number): Promise<void>
  /** Charges all of it: for a call that the provider may bill, at a cost that is not known. */
  chargeAll(): Promise<void>
  /** Charges all of it likewise, and sets as much aside for the next attempt. Throws `budget_exceeded` when less is left. */
  renew(): Promise<void>
}

/** Budgets of namespaces, right over all processes: the database decides about each reservation. */
export interface Budgets {
  /** Reserves the most that a call can cost. Throws `budget_exceeded` when less is left. */
  reserve(request: BudgetRequest): Promise<Reservation>
  close(): void
}

const TOUCH_MS = 20_000
const MICROS = 1_000_000

/** Opens the budgets of this process. What a process that dies reserved is charged by a chore, `chargeAbandoned`. */
export function createBudgets(deps: { readonly db: Database; readonly now: () => Date }): Budgets {
  const { db, now } = deps
  const live = new Set<string>()
  const timer = setInterval(() => {
    if (live.size === 0) return
    touchReservations(db, [...live]).catch((error: unknown) => db.warn(`budgets: ${String(error)}`))
  }, TOUCH_MS)
  timer.unref()
  return {
    async reserve(request) {
      const period = periodOf(now())
      /** Null once it is settled. */
      let held: string | null = null
      const take = async (): Promise<void> => {
        const id = randomUUID()
        if (!(await reserveOnce(db, { ...request, period, id }))) throw await exceeded(db, { ...request, period })
        live.add(id)
        held = id
      }
      const settleOnce = async (costMicros: number): Promise<void> => {
        if (held === null) return
        const id = held
        held = null
        live.delete(id)
        await settle(db, { ...request, period, id, costMicros })
      }
      const chargeAll = async () => await settleOnce(request.micros)
      await take()
      return {
        settle: settleOnce,
        chargeAll,
        async renew() {
          await chargeAll()
          await take()
        },
      }
    },
    close: () => clearInterval(timer),
  }
}

interface Asked extends BudgetRequest {
  readonly period: string
}

/** The condition is part of the update, which looks at the row again once another process has let it go. */
async function reserveOnce(db: Database, asked: Asked & { readonly id: string }): Promise<boolean> {
  const { tenantId, namespace, period, capMicros, micros, id } = asked
  if (micros > capMicros) return false
  return await tenantOf(db, tenantId).write(async (tx) => {
    const taken = await tx.q
      .insertInto('budget_periods')
      .values({ tenant_id: tenantId, namespace, period, spent_micros: 0, reserved_micros: micros })
      .onConflict((on) =>
        on
          .columns(['tenant_id', 'namespace', 'period'])
          .doUpdateSet({ reserved_micros: sql<number>`budget_periods.reserved_micros + ${micros}::bigint` })
          .where(
            sql<boolean>`budget_periods.spent_micros + budget_periods.reserved_micros + ${micros}::bigint <= ${capMicros}::bigint`,
          ),
      )
      .returning('reserved_micros')
      .executeTakeFirst()
    if (taken === undefined) return false
    await tx.q
      .insertInto('budget_reservations')
      .values({ id, tenant_id: tenantId, namespace, period, micros, touched_at: sql<Date>`now()` })
      .execute()
    return true
  })
}

async function settle(
  db: Database,
  asked: Asked & { readonly id: string; readonly costMicros: number },
): Promise<void> {
  const { tenantId, namespace, period, id, costMicros } = asked
  await tenantOf(db, tenantId).write(async (tx) => {
    const held = await tx.q
      .deleteFrom('budget_reservations')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .returning('micros')
      .executeTakeFirst()
    // One that counted as abandoned is charged already, at the most that it can have cost.
    if (held === undefined) return
    await tx.q
      .updateTable('budget_periods')
      .set({
        reserved_micros: sql<number>`greatest(reserved_micros - ${held.micros}::bigint, 0)`,
        spent_micros: sql<number>`spent_micros + ${costMicros}::bigint`,
      })
      .where('tenant_id', '=', tenantId)
      .where('namespace', '=', namespace)
      .where('period', '=', period)
      .execute()
  })
}

async function exceeded(db: Database, asked: Asked) {
  const { tenantId, namespace, period, capMicros, micros } = asked
  const [row] = await tenantOf(db, tenantId).read((q) =>
    q
      .selectFrom('budget_periods')
      .select(['spent_micros as spent', 'reserved_micros as reserved'])
      .where('tenant_id', '=', tenantId)
      .where('namespace', '=', namespace)
      .where('period', '=', period),
  )
  const left = Math.max(0, capMicros - (row?.spent ?? 0) - (row?.reserved ?? 0))
  return GATEWAY_ERRORS.budget_exceeded(
    `this call may cost up to ${usd(micros)} USD, and ${usd(left)} of the ${usd(capMicros)} USD of this month are left for the namespace ${namespace}; raise budget_usd_month, or lower the call's output bound`,
    {
      details: {
        spent_usd: usd(row?.spent ?? 0),
        reserved_usd: usd(row?.reserved ?? 0),
        cap_usd: usd(capMicros),
        remaining_usd: usd(left),
        needed_usd: usd(micros),
      },
    },
  )
}

function usd(micros: number): number {
  return micros / MICROS
}
