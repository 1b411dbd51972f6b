import type { Limits } from '../../../core/gateway/limits.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { TenantAccess } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import type { FoundAnswer } from './find-answer.ts'

/** Answers between two counts of the stored ones. */
const LOOKED_AT_EVERY = 50

/** Keeps an answer for the next time; the oldest of a tenant go when there are too many. */
export async function keepAnswer(
  tenant: TenantAccess,
  kept: FoundAnswer & { readonly key: Buffer; readonly namespace: string; readonly now: Date; readonly limits: Limits },
): Promise<void> {
  const { key, namespace, provider, model, captureId, answer, now, limits } = kept
  const { tenantId } = tenant
  await tenant.write(async (tx) => {
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
