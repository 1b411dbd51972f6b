import { DEFAULT_SETTINGS } from '../../../core/gateway/gate/namespaces/settings.ts'
import { requireNamespace } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { readStored, type NamespaceEntry } from './stored-settings.ts'

/**
 * Returns a namespace's settings; the defaults where none are stored. Throws `insufficient_scope` for one outside the
 * caller's.
 */
export async function findNamespace(op: Operation, namespace: string): Promise<NamespaceEntry> {
  requireNamespace(op, namespace)
  const [row] = await op.read((q) =>
    q
      .selectFrom('namespace_settings')
      .select(['settings', 'updated_at as updatedAt'])
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace),
  )
  return row === undefined
    ? { namespace, settings: DEFAULT_SETTINGS, updatedAt: null }
    : { namespace, settings: readStored(row.settings), updatedAt: row.updatedAt }
}
