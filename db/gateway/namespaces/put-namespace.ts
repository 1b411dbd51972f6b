import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import type { Limits } from '../../../core/gateway/limits.ts'
import type { CompiledRecords } from '../../../core/gateway/ports.ts'
import { DEFAULT_SETTINGS, type NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireNamespace } from '../../kernel/namespaces/bounds.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { json, notify } from '../../kernel/queries/typed.ts'
import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import { documentOf, readStored, type NamespaceEntry } from './stored-settings.ts'

/** Settings to store. */
interface PutNamespaceInput {
  readonly namespace: string
  readonly settings: NamespaceSettings
  readonly limits: Limits
  /** Finds the artifact that the settings name. */
  readonly records: Pick<CompiledRecords<Reader>, 'has'>
}

/**
 * Replaces the settings of a namespace; every process reads the new ones from its next call on. The ledger names the
 * settings that changed, without the texts of terms and rules. Throws `insufficient_scope`, `not_found` for an artifact
 * that the tenant does not have, and `limit_reached` for one namespace too many.
 */
export async function putNamespace(op: Operation, input: PutNamespaceInput): Promise<NamespaceEntry> {
  const { namespace, settings, limits, records } = input
  requireScope(op, 'namespace:admin')
  requireNamespace(op, namespace)
  return await op.write(async (tx) => {
    const artifactId = settings.artifact_id
    if (artifactId !== null && !(await records.has(tx, op.tenantId, { kind: 'artifact', id: artifactId }))) {
      throw invalidField('artifact_id', 'no such artifact', KERNEL_ERRORS.not_found)
    }
    await lockInTransaction(tx, `namespaces ${op.tenantId}`)
    const stored = await tx.q
      .selectFrom('namespace_settings')
      .select('settings')
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .executeTakeFirst()
    if (stored === undefined) await requireRoom(tx, op.tenantId, limits.gateway_namespaces_per_tenant)
    const before = stored === undefined ? DEFAULT_SETTINGS : readStored(stored.settings)
    const updatedAt = op.now()
    const row = { settings: json(documentOf(settings)), updated_at: updatedAt }
    await tx.q
      .insertInto('namespace_settings')
      .values({ tenant_id: op.tenantId, namespace, ...row })
      .onConflict((on) => on.columns(['tenant_id', 'namespace']).doUpdateSet(row))
      .execute()
    await tx.q.selectNoFrom(notify('svc_namespaces', op.tenantId).as('notified')).execute()
    await recordAudit(tx, op, {
      action: 'namespace.configured',
      target: namespace,
      payload: { changes: changesBetween(before, settings) },
    })
    return { namespace, settings, updatedAt }
  })
}

/** Settings whose values the ledger does not repeat. */
const UNSHOWN: ReadonlySet<string> = new Set(['proprietary_terms', 'guardrails', 'description'])

function changesBetween(before: NamespaceSettings, after: NamespaceSettings): JsonObject {
  const was = documentOf(before)
  const changed = Object.entries(documentOf(after)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name]),
  )
  return Object.fromEntries(
    changed.map(([name, to]) => [name, UNSHOWN.has(name) ? 'changed' : { from: was[name] ?? null, to }]),
  )
}

/** Runs under the lock that every change of the tenant's namespaces takes. */
async function requireRoom(tx: Transaction, tenantId: string, most: number): Promise<void> {
  const row = await tx.q
    .selectFrom('namespace_settings')
    .select(tx.q.fn.countAll<number>().as('kept'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  if ((row?.kept ?? 0) < most) return
  throw ACCOUNTS_ERRORS.limit_reached(`${most} namespaces have settings already`, { details: { max: most } })
}
