import { DEFAULT_SETTINGS, type NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import type { ForgetFinder } from '../../../core/gateway/gate/privacy/forget-list.ts'
import type { Database } from '../../kernel/database.ts'
import type { Notifications } from '../../kernel/notifications.ts'
import { tenantOf } from '../../kernel/operation.ts'
import { createTenantCache } from '../../kernel/tenant/tenant-cache.ts'
import { readForgotten } from '../forgotten/read-forgotten.ts'
import { readStored } from './stored-settings.ts'

/** Settings of namespaces and forget lists, for every call of a model. */
export interface NamespaceReader {
  /** Returns the settings of a namespace; the defaults where none are stored. Throws `store_unavailable`. */
  read(tenantId: string, namespace: string): Promise<NamespaceSettings>
  /** Finds what the tenant has forgotten; null for nothing. Throws `store_unavailable`. */
  forgotten(tenantId: string): Promise<ForgetFinder | null>
  /** Drops what is cached of a tenant that this process changed; the others are notified a moment later. */
  forget(tenantId: string): void
  close(): void
}

interface OfTenant {
  readonly settings: ReadonlyMap<string, NamespaceSettings>
  readonly forgotten: ForgetFinder | null
}

/** Opens the reader. A change anywhere drops the settings and the forget list of its tenant on every process. */
export function createNamespaceReader(deps: {
  readonly db: Database
  readonly notifications: Notifications
}): NamespaceReader {
  const { db, notifications } = deps
  const cache = createTenantCache<OfTenant>({
    notifications,
    channel: 'svc_namespaces',
    load: async (tenantId) => {
      const [rows, forgotten] = await Promise.all([
        tenantOf(db, tenantId).read((q) =>
          q.selectFrom('namespace_settings').select(['namespace', 'settings']).where('tenant_id', '=', tenantId),
        ),
        readForgotten(db, tenantId, tenantOf(db, tenantId)),
      ])
      return { settings: new Map(rows.map((row) => [row.namespace, readStored(row.settings)])), forgotten }
    },
  })
  return {
    read: async (tenantId, namespace) => (await cache.read(tenantId)).settings.get(namespace) ?? DEFAULT_SETTINGS,
    forgotten: async (tenantId) => (await cache.read(tenantId)).forgotten,
    forget: (tenantId) => cache.forget(tenantId),
    close: () => cache.close(),
  }
}
