import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { COMPILE_SOURCE, type RowResultRecord } from '../../../core/compile/artifacts/diagnosis/row-result.ts'
import { sql } from 'kysely'
import type { ReportKind } from '../../../core/compile/wire/artifacts/diagnosis.ts'
import { recordRowResults, type ResultOwner } from './record-row-results.ts'

/** A report as it is stored. */
export interface StoredReport {
  readonly artifactId: string
  readonly report: JsonObject
  readonly madeAt: Date
}

/** Returns the kinds of which a report on artifacts with a CID is stored, in alphabetical order. */
export async function storedReportKinds(op: Operation, cid: string): Promise<readonly ReportKind[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('row_reports')
      .select('kind')
      .distinct()
      .where('tenant_id', '=', op.tenantId)
      .where('cid', '=', cid)
      .orderBy('kind'),
  )
  return rows.map(({ kind }) => kind)
}

/** Returns the newest report of a kind on artifacts with a CID; null where none was made. */
export async function findReport(op: Operation, cid: string, kind: ReportKind): Promise<StoredReport | null> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('row_reports')
      .select(['artifact_id as artifactId', 'report', 'made_at as madeAt'])
      .where('tenant_id', '=', op.tenantId)
      .where('cid', '=', cid)
      .where('kind', '=', kind)
      .orderBy('made_at', 'desc')
      .limit(1),
  )
  return row ?? null
}

/**
 * Stores a report in place of the earlier one. Returns false, and stores nothing, when one of the rows that it was made from
 * is gone: a capture was forgotten meanwhile.
 */
export async function putReport(
  op: Operation,
  { artifactId, cid }: Omit<ResultOwner, 'tenantId'>,
  { kind, report, rows }: { readonly kind: ReportKind; readonly report: JsonObject; readonly rows: number },
): Promise<boolean> {
  return await op.write(async (tx) => {
    // Forgetting takes the same lock, so that no report outlives a row of it.
    await lockResults(tx, artifactId)
    const [counted] = await tx.q
      .selectFrom('row_results')
      .select(sql<number>`count(*)::integer`.as('rows'))
      .where('tenant_id', '=', op.tenantId)
      .where('artifact_id', '=', artifactId)
      .where('source', '=', COMPILE_SOURCE)
      .execute()
    if (counted?.rows !== rows) return false
    const made = { cid, report: json(report), made_at: op.now() }
    await tx.q
      .insertInto('row_reports')
      .values({ artifact_id: artifactId, kind, tenant_id: op.tenantId, ...made })
      .onConflict((on) => on.columns(['artifact_id', 'kind']).doUpdateSet(made))
      .execute()
    return true
  })
}

/** Records the results of an artifact that was published before they were recorded, but for forgotten captures. */
export async function recordLate(
  op: Operation,
  owner: Omit<ResultOwner, 'tenantId'>,
  records: readonly RowResultRecord[],
): Promise<void> {
  await op.write(async (tx) => {
    await lockResults(tx, owner.artifactId)
    const forgotten = await tx.q
      .selectFrom('compile_captures')
      .select('capture_id as id')
      .where('tenant_id', '=', op.tenantId)
      .where('job_id', '=', owner.artifactId)
      .where('forgotten_at', 'is not', null)
      .execute()
    const gone = new Set(forgotten.map(({ id }) => id))
    const kept = records.filter(({ rowId }) => !gone.has(rowId))
    recordRowResults(tx, { tenantId: op.tenantId, ...owner }, kept)
  })
}

async function lockResults(tx: Transaction, artifactId: string): Promise<void> {
  await tx.q.selectFrom('artifacts').select('id').where('id', '=', artifactId).forUpdate().execute()
}
