import { changesBy, settingsOf, type AccountSettings, type SettingsPatch } from '../../../core/accounts/settings.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json, type Reads } from '../../kernel/queries/typed.ts'

/** Returns the settings of the tenant: its choices over the defaults. */
export async function readSettings(op: Operation): Promise<AccountSettings> {
  return settingsOf(storedIn(await op.read((q) => settingsRow(q, op.tenantId))))
}

/** Result of a change of settings. */
export interface UpdatedSettings {
  readonly settings: AccountSettings
  /** The settings with a new value. */
  readonly updated: readonly string[]
}

/** Changes the settings that the patch names. The ledger keeps the old value beside the new one. */
export async function updateSettings(op: Operation, patch: SettingsPatch): Promise<UpdatedSettings> {
  return await op.write(async (tx) => {
    const stored = storedIn(await tx.read((q) => settingsRow(q, op.tenantId).forNoKeyUpdate()))
    const before = settingsOf(stored)
    const changes = changesBy(patch, before)
    if (changes.size === 0) return { settings: before, updated: [] }
    const chosen = Object.fromEntries([...changes].map(([name, { to }]) => [name, to]))
    const after = { ...stored, ...chosen }
    await tx.q
      .updateTable('tenants')
      .set({ settings: json(after) })
      .where('id', '=', op.tenantId)
      .execute()
    await recordAudit(tx, op, {
      action: 'settings.updated',
      target: op.tenantId,
      payload: { changes: Object.fromEntries(changes) },
    })
    return { settings: settingsOf(after), updated: [...changes.keys()] }
  })
}

function settingsRow(q: Reads, tenantId: string) {
  return q.selectFrom('tenants').select('settings').where('id', '=', tenantId)
}

function storedIn([row]: readonly { readonly settings: JsonObject }[]): JsonObject {
  if (row === undefined) throw KERNEL_ERRORS.not_found('no such tenant')
  return row.settings
}
