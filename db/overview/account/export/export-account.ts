import { settingsOf } from '../../../../core/accounts/settings.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import { settleLedger } from '../../../ledger/audit/chain/settle.ts'
import { requireScope, type Operation } from '../../../kernel/operation.ts'
import { raw } from '../../../kernel/queries/typed.ts'
import { requireAllNamespaces } from '../../../kernel/namespaces/bounds.ts'
import { readDatasets } from './read-examples.ts'
import { readSection } from './read-section.ts'
import { EXPORT_SECTIONS, TENANT_COLUMNS } from './sections.ts'

/** An export under way: its name, and its text, piece by piece. */
export interface AccountExport {
  readonly fileName: string
  readonly pieces: AsyncGenerator<string>
}

/**
 * Begins an export of all the tenant's data, as one JSON document, and records it in the ledger. Only listed columns
 * are exported; secrets and values derived from them are not. The text is made while it is read, a few hundred rows in
 * memory at a time. Concurrent changes may or may not be included. Throws `insufficient_scope`, also for a key bound to
 * namespaces.
 */
export async function exportAccount(op: Operation): Promise<AccountExport> {
  requireScope(op, 'account:export')
  requireAllNamespaces(op)
  const tenant = await readTenant(op)
  await op.write(async (tx) => {
    await recordAudit(tx, op, { action: 'account.exported', target: op.tenantId, payload: {} })
  })
  await settleLedger(op.db, op)
  const day = op.now().toISOString().slice(0, 10)
  return { fileName: `svc-export-${tenant.name}-${day}.json`, pieces: writeDocument(op, tenant) }
}

interface ExportedTenant {
  readonly id: string
  readonly name: string
  readonly settings: JsonObject
}

async function readTenant(op: Operation): Promise<ExportedTenant> {
  const statement = raw<ExportedTenant>(`select ${TENANT_COLUMNS.join(', ')} from tenants where id = $1`, [op.tenantId])
  const [row] = await op.read(() => statement)
  if (row === undefined) throw new Error(`tenant ${op.tenantId} is gone`)
  return { ...row, settings: settingsOf(row.settings) }
}

async function* writeDocument(op: Operation, tenant: ExportedTenant): AsyncGenerator<string> {
  const counts: Record<string, number> = {}
  const head = { spec: 'svc-export-v1', exported_at: op.now().toISOString(), tenant }
  yield JSON.stringify(head).slice(0, -1)
  for (const section of EXPORT_SECTIONS) {
    yield `,${JSON.stringify(section.name)}:[`
    let count = 0
    for await (const rows of readSection(op, section)) {
      const texts = rows.map((row) => JSON.stringify(row))
      yield `${count === 0 ? '' : ','}${texts.join(',')}`
      count += rows.length
    }
    counts[section.name] = count
    yield ']'
  }
  yield ',"examples":['
  let datasets = 0
  for await (const pieces of readDatasets(op)) {
    if (datasets++ > 0) yield ','
    yield* pieces
  }
  counts['examples'] = datasets
  yield `],"counts":${JSON.stringify(counts)}}\n`
}
