import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { inTransaction } from '../../kernel/transaction.ts'

const DAY_MS = 86_400_000

/** A proposal that is silenced. */
export interface Snoozed {
  readonly dismissKey: string
  readonly until: Date
  readonly snoozedAt: Date
}

/** Silences a proposal of the tenant's for some days from now; a second time counts from then. */
export async function snoozeAction(
  op: Operation,
  input: { readonly dismissKey: string; readonly days: number },
): Promise<Snoozed> {
  return await inTransaction(op.db, op.tenantId, async (tx) => {
    const snoozedAt = op.now()
    const until = new Date(snoozedAt.getTime() + input.days * DAY_MS)
    await tx.query(
      `insert into snoozes (tenant_id, dismiss_key, until, created_at) values ($1, $2, $3, $4)
       on conflict (tenant_id, dismiss_key) do update set until = excluded.until, created_at = excluded.created_at`,
      [op.tenantId, input.dismissKey, until, snoozedAt],
    )
    await recordAudit(tx, op, {
      action: 'next_action.snoozed',
      target: op.tenantId,
      payload: { dismiss_key: input.dismissKey, days: input.days },
    })
    return { dismissKey: input.dismissKey, until, snoozedAt }
  })
}

/** Which of these proposals the tenant has silenced for now. */
export async function silencedAmong(op: Operation, dismissKeys: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await op.db.query<{ dismissKey: string }>(
    `select dismiss_key as "dismissKey" from snoozes
     where tenant_id = $1 and dismiss_key = any($2) and until > $3`,
    [op.tenantId, dismissKeys, op.now()],
  )
  return new Set(rows.map(({ dismissKey }) => dismissKey))
}
