import { sql } from 'kysely'
import { list, unnest } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Removes the results of rows that are forgotten captures, and what was derived from them: the reports of their artifacts and
 * the gaps in the review queue.
 */
export async function forgetRows(
  tx: Transaction,
  {
    tenantId,
    rows,
  }: { readonly tenantId: string; readonly rows: readonly { readonly artifactId: string; readonly rowId: string }[] },
): Promise<void> {
  const artifacts = [...new Set(rows.map(({ artifactId }) => artifactId))].toSorted()
  if (artifacts.length === 0) return
  const among = (column: string) => sql<boolean>`${sql.ref(column)} = any(${artifacts}::text[])`
  // A report that is being stored waits for the lock, and then lacks a row.
  await tx.q
    .selectFrom('artifacts')
    .select('id')
    .where(among('id'))
    .where('tenant_id', '=', tenantId)
    .orderBy('id')
    .forUpdate()
    .execute()
  await tx.q
    .deleteFrom('row_results')
    .where('tenant_id', '=', tenantId)
    .where((of) =>
      of(
        of.refTuple('artifact_id', 'row_id'),
        'in',
        of
          .selectFrom(
            unnest('f', {
              artifact_id: list(
                'text',
                rows.map(({ artifactId }) => artifactId),
              ),
              row_id: list(
                'text',
                rows.map(({ rowId }) => rowId),
              ),
            }),
          )
          .select(['f.artifact_id', 'f.row_id'])
          .$asTuple('artifact_id', 'row_id'),
      ),
    )
    .execute()
  await tx.q.deleteFrom('row_reports').where('tenant_id', '=', tenantId).where(among('artifact_id')).execute()
  await tx.q.deleteFrom('review_gaps').where('tenant_id', '=', tenantId).where(among('artifact_id')).execute()
}
