import { changesBy, settingsOf, type AccountSettings, type SettingsPatch } from '../../../core/accounts/settings.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { SqlRunner } from '../../kernel/database.ts'
import type { Operation } from '../../kernel/operation.ts'
import { inTransaction } from '../../kernel/transaction.ts'

/** The settings that hold for the tenant: its choices over the defaults. */
export async function readSettings(op: Pick<Operation, 'db' | 'tenantId'>): Promise<AccountSettings> {
  return settingsOf(await storedSettings(op.db, op.tenantId, ''))
}

/** What a change of settings did. */
export interface UpdatedSettings {
  readonly settings: AccountSettings
  /** The settings that have another value now. */
  readonly updated: readonly string[]
}

/** Changes the settings that the patch names. The ledger keeps the old value beside the new one. */
export async function updateSettings(op: Operation, patch: SettingsPatch): Promise<UpdatedSettings> {
  return await inTransaction(op.db, op.tenantId, async (tx) => {
    const stored = await storedSettings(tx, op.tenantId, 'for no key update')
    const before = settingsOf(stored)
    const changes = changesBy(patch, before)
    if (changes.size === 0) return { settings: before, updated: [] }
    const chosen = Object.fromEntries([...changes].map(([name, { to }]) => [name, to]))
    const after = { ...stored, ...chosen }
    await tx.query('update tenants set settings = $2 where id = $1', [op.tenantId, JSON.stringify(after)])
    await recordAudit(tx, op, {
      action: 'settings.updated',
      target: op.tenantId,
      payload: { changes: Object.fromEntries(changes) },
    })
    return { settings: settingsOf(after), updated: [...changes.keys()] }
  })
}

async function storedSettings(sql: SqlRunner, tenantId: string, lock: '' | 'for no key update'): Promise<JsonObject> {
  const [row] = await sql.query<{ settings: JsonObject }>(`select settings from tenants where id = $1 ${lock}`, [
    tenantId,
  ])
  if (row === undefined) throw new DomainError('not_found', 'no such tenant')
  return row.settings
}
