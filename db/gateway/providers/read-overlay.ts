import { GATEWAY_PROVIDERS } from '../../../core/gateway/calls/providers.ts'
import type { Overlay } from '../../../core/gateway/routing/overlay.ts'
import type { Database } from '../../kernel/database.ts'
import type { Notifications } from '../../kernel/notifications.ts'
import { tenantOf, type Access, type Place } from '../../kernel/operation.ts'
import { createTenantCache, type TenantCache } from '../../kernel/tenant/tenant-cache.ts'

/** Opens the reader of tenants' settings of providers, for every call of a model. */
export function createOverlayReader({
  db,
  notifications,
}: {
  readonly db: Database
  readonly notifications: Notifications
}): TenantCache<Overlay> {
  return createTenantCache({
    notifications,
    channel: 'svc_providers',
    load: async (tenantId) => await readOverlay(tenantOf(db, tenantId)),
  })
}

/** Reads the tenant's settings of providers. */
export async function readOverlay(op: Place & Pick<Access, 'read'>): Promise<Overlay> {
  const rows = await op.read((q) =>
    q
      .selectFrom('provider_settings')
      .select(['provider', 'enabled', 'position', 'rate_limit_rpm as rateLimitRpm'])
      .where('tenant_id', '=', op.tenantId),
  )
  return new Map(
    rows.map(({ provider, enabled, position, rateLimitRpm }) => {
      const place = GATEWAY_PROVIDERS.findIndex(({ id }) => id === provider)
      return [provider, { enabled, position: position ?? place, rateLimitRpm }]
    }),
  )
}
