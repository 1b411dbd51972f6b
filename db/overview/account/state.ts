import { daysSince } from '../../../core/overview/next-actions.ts'
import { settingsOf } from '../../../core/accounts/settings.ts'
import type { AccountFigures } from '../../../core/overview/signals.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'
import { boundsOf, inBounds, jobInBounds } from '../../kernel/namespaces/bounds.ts'

interface StateRow {
  readonly settings: JsonObject
  readonly artifacts: number
  readonly lastArtifactAt: Date | null
  readonly keyCreatedAt: Date | null
}

/** The figures of the tenant's account, as they are now; for a key that is bound to namespaces, those of these. */
export async function accountFigures(op: Operation): Promise<AccountFigures> {
  const now = op.now()
  const bounds = boundsOf(op)
  const [[row], namespaces] = await Promise.all([
    op.db.query<StateRow>(
      `select settings, made.artifacts, made.last_at as "lastArtifactAt",
         (select created_at from api_keys where tenant_id = $1 and kind = 'primary' and revoked_at is null)
           as "keyCreatedAt"
       from tenants, lateral (
         select count(*) as artifacts, max(signed_at) as last_at from artifacts
         where tenant_id = $1 and ${jobInBounds('artifacts.id', 2)}) made
       where id = $1`,
      [op.tenantId, bounds],
    ),
    op.db.query<{ namespace: string; captures: number }>(
      `select namespace, count(*) as captures from control_events
       where tenant_id = $1 and ${inBounds('namespace', 2)} group by namespace order by captures desc, namespace`,
      [op.tenantId, bounds],
    ),
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
