import { DomainError } from '../../../core/kernel/errors.ts'
import { PLANS, type PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { SqlRunner } from '../../kernel/database.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { deactivateMember } from './deactivate-member.ts'
import { lockSeats } from './lock-seats.ts'

/** The open invitations `i` of the tenant `$1` at the time `$2` that hold a seat: a member takes one seat, asked or not. */
const HOLDS_SEAT = `i.tenant_id = $1 and i.accepted_at is null and i.revoked_at is null and i.expires_at > $2
  and not exists (
    select 1 from members m where m.tenant_id = i.tenant_id and m.email = i.email and m.state = 'active'
  )`

/** Seats of a tenant that are taken: its active members, and the open invitations of those who are none. */
export async function seatsUsed(sql: SqlRunner, tenantId: string, now: Date): Promise<number> {
  return await countSeats(sql, { tenantId, now, email: null })
}

async function countSeats(
  sql: SqlRunner,
  { tenantId, now, email }: { readonly tenantId: string; readonly now: Date; readonly email: string | null },
): Promise<number> {
  const [row] = await sql.query<{ used: number }>(
    `select (select count(*) from members where tenant_id = $1 and state = 'active')
       + (select count(*) from invitations i where ${HOLDS_SEAT} and i.email is distinct from $3) as used`,
    [tenantId, now, email],
  )
  return row?.used ?? 0
}

/**
 * Throws `seat_limit` when the plan has no seat left for this address, which an open invitation may hold. The seats must
 * be locked.
 */
export async function requireSeat(tx: Transaction, op: Operation, email: string): Promise<void> {
  const [tenant] = await tx.query<{ plan: PlanId }>('select plan from tenants where id = $1', [op.tenantId])
  const seats = PLANS[tenant?.plan ?? 'free'].seats
  const used = await countSeats(tx, { tenantId: op.tenantId, now: op.now(), email })
  if (used < seats) return
  throw new DomainError('seat_limit', `the plan has ${seats} seats, and ${used} are taken`, {
    details: { seats, seats_used: used },
  })
}

/**
 * Brings a tenant down to a number of seats: open invitations go first, then members, the newest of each first, and
 * never an owner. Answers the ids of what went.
 */
export async function clampSeats(tx: Transaction, op: Operation, seats: number): Promise<readonly string[]> {
  await lockSeats(tx, op.tenantId)
  const now = op.now()
  const excess = Math.max((await seatsUsed(tx, op.tenantId, now)) - seats, 0)
  if (excess === 0) return []
  const revoked = await tx.query<{ id: string }>(
    `update invitations set revoked_at = $2 where id in (
       select i.id from invitations i where ${HOLDS_SEAT} order by i.created_at desc, i.id desc limit $3
     ) returning id`,
    [op.tenantId, now, excess],
  )
  for (const { id } of revoked) {
    await recordAudit(tx, op, { action: 'invitation.revoked', target: id, payload: { reason: 'fewer seats' } })
  }
  const leaving = await tx.query<{ id: string }>(
    `select id from members where tenant_id = $1 and state = 'active' and role <> 'owner'
     order by created_at desc, id desc limit $2`,
    [op.tenantId, excess - revoked.length],
  )
  for (const { id } of leaving) await deactivateMember(tx, op, id)
  return [...revoked, ...leaving].map(({ id }) => id)
}
