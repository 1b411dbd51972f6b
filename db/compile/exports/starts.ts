import type { Database } from '../../kernel/database.ts'
import type { Operation } from '../../kernel/operation.ts'

/** What the workflow of an export is started with. */
export interface ExportStart {
  readonly exportId: string
  readonly tenantId: string
  readonly target: string
  readonly quant: string | null
}

/** How long one reconciler has for what it took before another one takes it again, milliseconds. */
const CLAIM_MS = 15_000

/** Exports whose workflow is due to be started, each given to one caller at a time. */
export async function dueExportStarts(
  db: Database,
  input: { readonly batch: number; readonly now: Date },
): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    `update exports e set start_due_at = $3
     from (select id from exports where start_due_at <= $1 order by start_due_at limit $2 for update skip locked) due
     where e.id = due.id returning e.id`,
    [input.now, input.batch, new Date(input.now.getTime() + CLAIM_MS)],
  )
  return rows.map(({ id }) => id)
}

/** What to start the workflow of an export with; null when the export is over. */
export async function findExportStart(db: Database, exportId: string): Promise<ExportStart | null> {
  const [row] = await db.query<ExportStart>(
    `select id as "exportId", tenant_id as "tenantId", target, quant from exports
     where id = $1 and finished_at is null`,
    [exportId],
  )
  return row ?? null
}

/** Notes that the workflow of an export is there. */
export async function markExportStarted(db: Database, exportId: string): Promise<void> {
  await db.query('update exports set start_due_at = null where id = $1', [exportId])
}

/** An export whose workflow should be running. */
export interface UnfinishedExport {
  readonly exportId: string
  readonly tenantId: string
}

/** Exports that were accepted before a time, are started and not finished, by id; `afterId` continues a list. */
export async function unfinishedExports(
  db: Database,
  input: { readonly createdBefore: Date; readonly afterId: string; readonly limit: number },
): Promise<readonly UnfinishedExport[]> {
  return await db.query<UnfinishedExport>(
    `select id as "exportId", tenant_id as "tenantId" from exports
     where finished_at is null and start_due_at is null and created_at < $1 and id > $2
     order by id limit $3`,
    [input.createdBefore, input.afterId, input.limit],
  )
}

/** Ids of the tenant's exports that have not ended, oldest first. */
export async function unfinishedExportsOf(
  op: Operation,
  input: { readonly limit: number },
): Promise<readonly string[]> {
  const rows = await op.db.query<{ id: string }>(
    'select id from exports where tenant_id = $1 and finished_at is null order by created_at, id limit $2',
    [op.tenantId, input.limit],
  )
  return rows.map(({ id }) => id)
}
