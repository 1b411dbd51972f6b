import { sql, type SqlBool } from 'kysely'
import type { RowType } from '../../../core/learn/datasets/rows/row-content.ts'
import type { VersionState } from '../../../core/learn/datasets/states.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { Dataset } from './dataset.ts'

/** A dataset in a list, with the newest version that was begun. */
export interface ListedDataset extends Dataset {
  readonly state: VersionState
  readonly rowCount: number
  readonly trainCount: number
  readonly holdoutCount: number
  readonly rowType: RowType | null
}

/** Lists the tenant's datasets, newest first, with the counts of their newest ready version. Throws `invalid_cursor`. */
export async function listDatasets(
  op: Operation,
  input: PageRequest & { readonly namespace?: string | undefined },
): Promise<Page<ListedDataset> & { readonly total: number }> {
  const after = placeOf(input.cursor)
  const [rows, [count]] = await op.read((q) => [
    q
      .selectFrom('datasets as d')
      .leftJoin('dataset_versions as v', (on) =>
        on.onRef('v.dataset_id', '=', 'd.id').onRef('v.version', '=', 'd.version'),
      )
      .innerJoin('dataset_versions as n', (on) =>
        on.onRef('n.dataset_id', '=', 'd.id').onRef('n.version', '=', 'd.version_count'),
      )
      .select(['d.id', 'd.tenant_id as tenantId', 'd.namespace', 'd.name', 'd.version'])
      .select(['d.version_count as versionCount', 'd.created_at as createdAt', 'n.state', 'v.row_type as rowType'])
      .select((of) => [
        of.fn.coalesce('v.row_count', sql<number>`0`).as('rowCount'),
        of.fn.coalesce('v.train_count', sql<number>`0`).as('trainCount'),
        of.fn.coalesce('v.holdout_count', sql<number>`0`).as('holdoutCount'),
      ])
      .where('d.tenant_id', '=', op.tenantId)
      .where(input.namespace === undefined ? sql<SqlBool>`true` : sql<SqlBool>`d.namespace = ${input.namespace}`)
      .where(sql<SqlBool>`(d.created_at, d.id) < (${new Date(after.rank)}, ${after.id})`)
      .orderBy('d.created_at', 'desc')
      .orderBy('d.id', 'desc')
      .limit(input.limit + 1),
    q
      .selectFrom('datasets as d')
      .select(q.fn.countAll<number>().as('total'))
      .where('d.tenant_id', '=', op.tenantId)
      .where(input.namespace === undefined ? sql<SqlBool>`true` : sql<SqlBool>`d.namespace = ${input.namespace}`),
  ])
  const page = pageOf(rows, input.limit, placeByCreation)
  return { ...page, total: count?.total ?? 0 }
}
