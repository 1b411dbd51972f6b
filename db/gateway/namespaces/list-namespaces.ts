import type { Operation } from '../../kernel/operation.ts'
import { readStored, type NamespaceEntry } from './stored-settings.ts'

/** Lists the namespaces with settings that the caller's key reaches, by name. */
export async function listNamespaces(op: Operation): Promise<readonly NamespaceEntry[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('namespace_settings')
      .select(['namespace', 'settings', 'updated_at as updatedAt'])
      .where('tenant_id', '=', op.tenantId)
      .orderBy('namespace'),
  )
  return rows.map(({ namespace, settings, updatedAt }) => ({ namespace, settings: readStored(settings), updatedAt }))
}
