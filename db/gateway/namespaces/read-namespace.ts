import { DEFAULT_SETTINGS, type NamespaceSettings } from '../../../core/gateway/namespaces/settings.ts'
import type { Database } from '../../kernel/database.ts'
import type { Notifications } from '../../kernel/notifications.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { createTenantCache } from '../../kernel/tenant/tenant-cache.ts'
import { readStored } from './stored-settings.ts'

/** Settings of namespaces, for every call of a model. */
export interface NamespaceReader {
  /** Returns the settings of a namespace; the defaults where none are stored. Throws `store_unavailable`. */
  read(tenantId: string, namespace: string): Promise<NamespaceSettings>
  close(): void
}

/** Opens the reader. A change anywhere drops the settings of its tenant on every process. */
export function createNamespaceReader(deps: {
  readonly db: Database
  readonly notifications: Notifications
}): NamespaceReader {
  const { db, notifications } = deps
  const cache = createTenantCache<ReadonlyMap<string, NamespaceSettings>>({
    notifications,
    channel: 'svc_namespaces',
    load: async (tenantId) => {
      const rows = await tenantOf(db, tenantId).read((q) =>
        q.selectFrom('namespace_settings').select(['namespace', 'settings']).where('tenant_id', '=', tenantId),
      )
      return new Map(rows.map(({ namespace, settings }) => [namespace, readStored(settings)]))
    },
  })
  return {
    read: async (tenantId, namespace) => (await cache.read(tenantId)).get(namespace) ?? DEFAULT_SETTINGS,
    close: () => cache.close(),
  }
}
