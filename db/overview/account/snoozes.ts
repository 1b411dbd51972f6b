import { sql } from 'kysely'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'

const DAY_MS = 86_400_000

/** A snoozed proposal. */
export interface Snoozed {
  readonly dismissKey: string
  readonly until: Date
  readonly snoozedAt: Date
}

/** Snoozes a proposal of the tenant for some days from now; a second time restarts the period. */
export async function snoozeAction(
  op: Operation,
  input: { readonly dismissKey: string; readonly days: number },
): Promise<Snoozed> {
  return await op.write(async (tx) => {
    const snoozedAt = op.now()
    const until = new Date(snoozedAt.getTime() + input.days * DAY_MS)
    await tx.q
      .insertInto('snoozes')
      .values({ tenant_id: op.tenantId, dismiss_key: input.dismissKey, until, created_at: snoozedAt })
      .onConflict((on) => on.columns(['tenant_id', 'dismiss_key']).doUpdateSet({ until, created_at: snoozedAt }))
      .execute()
    await recordAudit(tx, op, {
      action: 'next_action.snoozed',
      target: op.tenantId,
      payload: { dismiss_key: input.dismissKey, days: input.days },
    })
    return { dismissKey: input.dismissKey, until, snoozedAt }
  })
}

/** Returns the currently snoozed proposals among these. */
export async function silencedAmong(op: Operation, dismissKeys: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await op.read((q) =>
    q
      .selectFrom('snoozes')
      .select('dismiss_key as dismissKey')
      .where('tenant_id', '=', op.tenantId)
      .where(sql<boolean>`dismiss_key = any(${dismissKeys})`)
      .where('until', '>', op.now()),
  )
  return new Set(rows.map(({ dismissKey }) => dismissKey))
}
