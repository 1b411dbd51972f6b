import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { PLANS } from '../../../core/kernel/tenant/plans.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reads } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { deactivateMember } from './deactivate-member.ts'
import { lockSeats } from './lock-seats.ts'

/** Returns the open invitations of a tenant that hold a seat: a member takes one seat, invited or not. */
function seatHolders(q: Pick<Reads, 'selectFrom'>, tenantId: string, now: Date) {
  return q
    .selectFrom('invitations as i')
    .where('i.tenant_id', '=', tenantId)
    .where('i.accepted_at', 'is', null)
    .where('i.revoked_at', 'is', null)
    .where('i.expires_at', '>', now)
    .where((of) =>
      of.not(
        of.exists(
          of
            .selectFrom('members as m')
            .select('m.id')
            .whereRef('m.tenant_id', '=', 'i.tenant_id')
            .whereRef('m.email', '=', 'i.email')
            .where('m.state', '=', 'active'),
        ),
      ),
    )
}

/** Returns the seats taken: a tenant's active members, and its open invitations of other people. */
export async function seatsUsed(from: Reader, tenantId: string, now: Date): Promise<number> {
  return await countSeats(from, { tenantId, now, email: null })
}

/** One statement, so that an invitation accepted meanwhile counts once. An invitation of `email` does not count. */
async function countSeats(
  from: Reader,
  { tenantId, now, email }: { readonly tenantId: string; readonly now: Date; readonly email: string | null },
): Promise<number> {
  const [row] = await from.read((q) =>
    q.selectNoFrom((of) => [
      of
        .selectFrom('members')
        .select(q.fn.countAll<number>().as('count'))
        .where('tenant_id', '=', tenantId)
        .where('state', '=', 'active')
        .as('members'),
      seatHolders(of, tenantId, now)
        .select(q.fn.countAll<number>().as('count'))
        .$if(email !== null, (all) => all.where('i.email', '!=', email ?? ''))
        .as('invitations'),
    ]),
  )
  return (row?.members ?? 0) + (row?.invitations ?? 0)
}

/**
 * Throws `seat_limit` when the plan has no seat left for this address, which an open invitation may hold. The seats must
 * be locked.
 */
export async function requireSeat(tx: Transaction, op: Operation, email: string): Promise<void> {
  const [tenant] = await tx.read((q) => q.selectFrom('tenants').select('plan').where('id', '=', op.tenantId))
  const seats = PLANS[tenant?.plan ?? 'free'].seats
  const used = await countSeats(tx, { tenantId: op.tenantId, now: op.now(), email })
  if (used < seats) return
  throw ACCOUNTS_ERRORS.seat_limit(
    `${used} of ${seats} seats of the plan are taken; remove a member or an invitation, or change the plan`,
    {
      details: { seats, seats_used: used },
    },
  )
}

/**
 * Brings a tenant down to a number of seats: open invitations go first, then members, the newest of each first, and
 * never an owner. Returns the removed ids.
 */
export async function clampSeats(tx: Transaction, op: Operation, seats: number): Promise<readonly string[]> {
  await lockSeats(tx, op.tenantId)
  const now = op.now()
  const excess = Math.max((await seatsUsed(tx, op.tenantId, now)) - seats, 0)
  if (excess === 0) return []
  const revoked = await tx.q
    .with('newest', (q) =>
      seatHolders(q, op.tenantId, now)
        .select('i.id')
        .orderBy('i.created_at', 'desc')
        .orderBy('i.id', 'desc')
        .limit(excess),
    )
    .updateTable('invitations')
    .set({ revoked_at: now })
    .where('id', 'in', (q) => q.selectFrom('newest').select('newest.id'))
    .returning('id')
    .execute()
  for (const { id } of revoked) {
    await recordAudit(tx, op, { action: 'invitation.revoked', target: id, payload: { reason: 'fewer seats' } })
  }
  const leaving = await tx.read((q) =>
    q
      .selectFrom('members')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'active')
      .where('role', '!=', 'owner')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(excess - revoked.length),
  )
  for (const { id } of leaving) await deactivateMember(tx, op, id)
  return [...revoked, ...leaving].map(({ id }) => id)
}
