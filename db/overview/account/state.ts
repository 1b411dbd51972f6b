import { sql } from 'kysely'
import { daysSince } from '../../../core/overview/next-actions.ts'
import { settingsOf } from '../../../core/accounts/settings.ts'
import type { AccountFigures } from '../../../core/overview/signals.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Returns the current figures of the tenant's account; for a key bound to namespaces, those of these. */
export async function accountFigures(op: Operation): Promise<AccountFigures> {
  const now = op.now()
  const { tenantId } = op
  const [[row], namespaces] = await op.read((q) => [
    q
      .selectFrom('tenants')
      .crossJoinLateral((of) =>
        of
          .selectFrom('artifacts')
          .select([of.fn.countAll<number>().as('artifacts'), sql<Date | null>`max(signed_at)`.as('lastArtifactAt')])
          .where('tenant_id', '=', tenantId)
          .as('made'),
      )
      .select((of) => [
        'settings',
        'made.artifacts',
        'made.lastArtifactAt',
        of
          .selectFrom('api_keys')
          .select('created_at')
          .where('tenant_id', '=', tenantId)
          .where('kind', '=', 'primary')
          .where('revoked_at', 'is', null)
          .as('keyCreatedAt'),
      ])
      .where('id', '=', tenantId),
    q
      .selectFrom('control_events')
      .select(['namespace', q.fn.countAll<number>().as('captures')])
      .where('tenant_id', '=', tenantId)
      .groupBy('namespace')
      .orderBy('captures', 'desc')
      .orderBy('namespace'),
  ])
  if (row === undefined) throw new Error(`tenant ${op.tenantId} is gone`)
  return {
    artifacts: row.artifacts,
    captures: namespaces.reduce((sum, { captures }) => sum + captures, 0),
    namespaces: Object.fromEntries(namespaces.map(({ namespace, captures }) => [namespace, captures])),
    lastArtifactAgeDays: row.lastArtifactAt === null ? null : daysSince(row.lastArtifactAt, now),
    keyAgeDays: row.keyCreatedAt === null ? null : daysSince(row.keyCreatedAt, now),
    keyRotationDays: settingsOf(row.settings).key_rotation_warning_days,
  }
}
