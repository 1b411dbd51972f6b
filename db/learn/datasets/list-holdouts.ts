import type { Operation } from '../../kernel/operation.ts'
import { isReady, VERSION, type ReadyVersion } from './find-dataset.ts'

/** Returns the newest ready versions of the other datasets of a namespace that hold rows out, the newest datasets first. */
export async function listOtherHoldouts(
  op: Operation,
  { namespace, datasetId, most }: { readonly namespace: string; readonly datasetId: string; readonly most: number },
): Promise<readonly ReadyVersion[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('dataset_versions as v')
      .innerJoin('datasets as d', (on) => on.onRef('d.id', '=', 'v.dataset_id').onRef('d.version', '=', 'v.version'))
      .select(VERSION.map((column) => `v.${column}` as const))
      .where('v.tenant_id', '=', op.tenantId)
      .where('v.namespace', '=', namespace)
      .where('v.dataset_id', '!=', datasetId)
      .where('v.state', '=', 'ready')
      .where('v.holdout_count', '>', 0)
      .orderBy('d.created_at', 'desc')
      .limit(most),
  )
  return rows.filter(isReady)
}
