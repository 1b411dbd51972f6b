import { requireNamespace } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'

/**
 * Returns whether a namespace exists: a call was captured in it, or settings were stored for it. Throws
 * `insufficient_scope` for one outside of the caller's.
 */
export async function isNamespaceKnown(op: Operation, namespace: string): Promise<boolean> {
  requireNamespace(op, namespace)
  const [chains, settings] = await op.read((q) => [
    q
      .selectFrom('capture_chains')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .where('count', '>', 0)
      .limit(1),
    q
      .selectFrom('namespace_settings')
      .select('namespace')
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace),
  ])
  return chains.length > 0 || settings.length > 0
}
