import type { Limits } from '../../../core/gateway/limits.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { TenantAccess } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { isForgotten } from '../forgotten/is-forgotten.ts'
import type { FoundAnswer } from './find-answer.ts'

/** Answers between two counts of the stored ones. */
const LOOKED_AT_EVERY = 50

/** An answer to keep. */
export interface KeptAnswer extends FoundAnswer {
  readonly key: Buffer
  readonly namespace: string
  /** When its call began. */
  readonly begunAt: Date
  readonly now: Date
  readonly limits: Limits
}

/**
 * Keeps an answer for the next time; the oldest of a tenant go when there are too many. One whose capture was forgotten, or
 * whose call began before the tenant forgot something, is not kept: it may hold that.
 */
export async function keepAnswer(tenant: TenantAccess, kept: KeptAnswer): Promise<void> {
  const { key, namespace, provider, model, captureId, answer, begunAt, now, limits } = kept
  const { tenantId } = tenant
  await tenant.write(async (tx) => {
    if (await isForgotten(tx, { tenantId, captureId, begunAt })) return
    const row = {
      namespace,
      provider,
      model,
      capture_id: captureId,
      answer: json(answer),
      created_at: now,
      expires_at: new Date(now.getTime() + limits.gateway_cache_s * 1000),
    }
    await tx.q
      .insertInto('cached_answers')
      .values({ tenant_id: tenantId, key, ...row })
      .onConflict((on) => on.columns(['tenant_id', 'key']).doUpdateSet(row))
      .execute()
    if ((key[0] ?? 0) % LOOKED_AT_EVERY === 0) await dropOldest(tx, tenantId, limits.gateway_cached_answers)
  })
}

async function dropOldest(tx: Transaction, tenantId: string, most: number): Promise<void> {
  await tx.q
    .deleteFrom('cached_answers')
    .where('tenant_id', '=', tenantId)
    .where('created_at', '<', (of) =>
      of
        .selectFrom('cached_answers as newer')
        .select('newer.created_at')
        .where('newer.tenant_id', '=', tenantId)
        .orderBy('newer.created_at', 'desc')
        .offset(Math.max(0, most - 1))
        .limit(1),
    )
    .execute()
}
