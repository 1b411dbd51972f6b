import { settingsOf } from '../../../core/account/settings.ts'
import type { JsonObject } from '../../../core/json.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import { settleLedger } from '../../audit/settle.ts'
import { requireScope, type Operation } from '../../operation.ts'
import { inTransaction } from '../../transaction.ts'
import { EXPORT_SECTIONS, type ExportSection } from './sections.ts'

/** Rows that are read at once. */
const BATCH = 200

/** An export that was begun: what it is called, and its text, piece by piece. */
export interface AccountExport {
  readonly fileName: string
  readonly pieces: AsyncGenerator<string>
}

/**
 * Begins an export of everything that the tenant has, as one JSON document, and writes so into its ledger. Only columns
 * that are listed leave; no secret is among them, nor anything made of one. The text is made while it is read, a few
 * hundred rows in memory at a time. What changes meanwhile may be in it or not.
 */
export async function exportAccount(op: Operation): Promise<AccountExport> {
  requireScope(op, 'account:export')
  const tenant = await readTenant(op)
  await inTransaction(op.db, op.tenantId, async (tx) => {
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
  const [row] = await op.db.query<ExportedTenant>(
    `select id, name, kind, email, is_email_verified, plan, pending_plan, billing_status, quota_override, settings,
       trial_ends_at, expires_at, created_at
     from tenants where id = $1`,
    [op.tenantId],
  )
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
    for await (const rows of readRows(op, section)) {
      const texts = rows.map((row) => JSON.stringify(row))
      yield `${count === 0 ? '' : ','}${texts.join(',')}`
      count += rows.length
    }
    counts[section.name] = count
    yield ']'
  }
  yield `,"counts":${JSON.stringify(counts)}}\n`
}

/** The rows of a section by their key, page after page; a page is never empty. */
async function* readRows(op: Operation, section: ExportSection): AsyncGenerator<readonly object[]> {
  const { table, columns, key, computed = {} } = section
  const selected = [...columns, ...Object.entries(computed).map(([name, sql]) => `${sql} as ${name}`)].join(', ')
  const places = key.map((column, i) => `${column} as "_key${i}"`).join(', ')
  const order = key.join(', ')
  for (let after: readonly unknown[] | undefined; ;) {
    const marks = key.map((_, i) => `$${i + 2}`).join(', ')
    const rows = await op.db.query<Record<string, unknown>>(
      `select ${selected}, ${places} from ${table}
       where tenant_id = $1 ${after === undefined ? '' : `and (${order}) > (${marks})`}
       order by ${order} limit ${BATCH}`,
      [op.tenantId, ...(after ?? [])],
    )
    const last = rows.at(-1)
    if (last === undefined) return
    after = key.map((_, i) => last[`_key${i}`])
    yield rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('_key'))))
    if (rows.length < BATCH) return
  }
}
