import { sql } from 'kysely'
import type { Limits } from '../../../core/overview/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import type { Transaction } from '../../kernel/transaction.ts'

const DAY_MS = 86_400_000

/** A snoozed proposal. */
export interface Snoozed {
  readonly dismissKey: string
  readonly until: Date
  readonly snoozedAt: Date
}

const upsertSnooze = prepared(
  (q, { tenantId, dismissKey, until, snoozedAt }: Snoozed & { readonly tenantId: string }) =>
    q
      .insertInto('snoozes')
      .values({ tenant_id: tenantId, dismiss_key: dismissKey, until, created_at: snoozedAt })
      .onConflict((on) => on.columns(['tenant_id', 'dismiss_key']).doUpdateSet({ until, created_at: snoozedAt }))
      // An inserted row has no earlier version that the statement locked.
      .returning(sql<boolean>`xmax = 0`.as('isNew')),
)

/**
 * Snoozes a proposal of the tenant for some days from now; a second time restarts the period. Of more than
 * `snoozes_per_tenant` snoozes, those that end first are removed, since the service checks no key.
 */
export async function snoozeAction(
  op: Operation,
  input: { readonly dismissKey: string; readonly days: number; readonly limits: Limits },
): Promise<Snoozed> {
  return await op.write(async (tx) => {
    const snoozedAt = op.now()
    const until = new Date(snoozedAt.getTime() + input.days * DAY_MS)
    const [snoozed] = await tx.send(
      upsertSnooze({ tenantId: op.tenantId, dismissKey: input.dismissKey, until, snoozedAt }),
    )
    if (snoozed?.isNew === true) await removeSurplus(tx, op.tenantId, input)
    await recordAudit(tx, op, {
      action: 'next_action.snoozed',
      target: op.tenantId,
      payload: { dismiss_key: input.dismissKey, days: input.days },
    })
    return { dismissKey: input.dismissKey, until, snoozedAt }
  })
}

/** Removes the snoozes that end first, beyond the number that a tenant has; the new one stays. */
async function removeSurplus(
  tx: Transaction,
  tenantId: string,
  { dismissKey, limits }: { readonly dismissKey: string; readonly limits: Limits },
): Promise<void> {
  await tx.q
    .deleteFrom('snoozes')
    .where('tenant_id', '=', tenantId)
    .where('dismiss_key', 'in', (of) =>
      of
        .selectFrom('snoozes')
        .select('dismiss_key')
        .where('tenant_id', '=', tenantId)
        .where('dismiss_key', 'in', (others) =>
          others
            .selectFrom('snoozes')
            .select('dismiss_key')
            .where('tenant_id', '=', tenantId)
            .where('dismiss_key', '!=', dismissKey)
            .orderBy('until', 'desc')
            .orderBy('dismiss_key')
            .offset(Math.max(limits.snoozes_per_tenant - 1, 0)),
        )
        // Calls at the same time find the same rows.
        .forUpdate()
        .skipLocked(),
    )
    .execute()
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
