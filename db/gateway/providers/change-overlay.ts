import type { GatewayProviderId } from '../../../core/gateway/calls/providers.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'
import { lockInTransaction } from '../../kernel/transaction.ts'

/** A change of a tenant's settings of one provider; what is absent stays. */
export interface ProviderChange {
  readonly provider: GatewayProviderId
  readonly enabled?: boolean | undefined
  readonly position?: number | undefined
  readonly rateLimitRpm?: number | undefined
}

/** Merges changes into the tenant's settings; every process uses them from its next call on. */
export async function changeOverlay(op: Operation, changes: readonly ProviderChange[]): Promise<void> {
  requireScope(op, 'provider_keys:write')
  await op.write(async (tx) => {
    await lockInTransaction(tx, `providers ${op.tenantId}`)
    for (const { provider, enabled, position, rateLimitRpm } of changes) {
      const updatedAt = op.now()
      await tx.q
        .insertInto('provider_settings')
        .values({
          tenant_id: op.tenantId,
          provider,
          enabled: enabled ?? true,
          position: position ?? null,
          rate_limit_rpm: rateLimitRpm ?? 0,
          updated_at: updatedAt,
        })
        .onConflict((on) =>
          on.columns(['tenant_id', 'provider']).doUpdateSet({
            ...(enabled !== undefined && { enabled }),
            ...(position !== undefined && { position }),
            ...(rateLimitRpm !== undefined && { rate_limit_rpm: rateLimitRpm }),
            updated_at: updatedAt,
          }),
        )
        .execute()
    }
    await tx.q.selectNoFrom(notify('svc_providers', op.tenantId).as('notified')).execute()
    await recordAudit(tx, op, {
      action: 'providers.configured',
      target: op.tenantId,
      payload: {
        changes: changes.map(({ provider, enabled, position, rateLimitRpm }) => ({
          provider,
          ...(enabled !== undefined && { enabled }),
          ...(position !== undefined && { position }),
          ...(rateLimitRpm !== undefined && { rate_limit_rpm: rateLimitRpm }),
        })),
      },
    })
  })
}
