import { withoutNamedRows } from '../../../core/learn/distill/curate/held-out-labels.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** Takes rows of a dataset out of the doubtful labels that its runs name: they were forgotten. Repeating it is safe. */
export async function forgetRunRows(
  tx: Transaction,
  {
    tenantId,
    datasetId,
    ids,
  }: { readonly tenantId: string; readonly datasetId: string; readonly ids: ReadonlySet<string> },
): Promise<void> {
  const runs = await tx.q
    .selectFrom('distill_runs')
    .select(['id', 'manifest'])
    .where('tenant_id', '=', tenantId)
    .where('dataset_id', '=', datasetId)
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const { id, manifest } of runs) {
    if (manifest === null) continue
    const without = withoutNamedRows(manifest, ids)
    if (without === manifest) continue
    await tx.q
      .updateTable('distill_runs')
      .set({ manifest: json(without) })
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId)
      .execute()
  }
}
