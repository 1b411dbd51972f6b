import { z } from 'zod'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { DatasetId } from '../../../core/kernel/wire/ids.ts'
import { runDiff } from '../../../core/learn/datasets/build/build-threads.ts'
import { DiffAnswer, RowsAnswer } from '../../../core/learn/wire/datasets/answers.ts'
import { DiffQuery, RowsQuery } from '../../../core/learn/wire/datasets/requests.ts'
import { findReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import { readIndex, readPage } from '../../../db/learn/datasets/read-rows.ts'
import { refuseSealedPage } from '../../../db/learn/holdouts/refuse-sealed.ts'
import { placeOf } from '../../../db/kernel/tables/page.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { presentRow } from './present-dataset.ts'

/** The id in the cursor of rows. */
const CURSOR_ID = 'row'

export const listRowsRoute = defineRoute({
  method: 'get',
  path: '/v1/datasets/{dataset_id}/rows',
  operationId: 'listDatasetRows',
  group: 'datasets',
  summary: 'Page through the rows of a dataset',
  description:
    'In the order of the Merkle leaves. A row that was forgotten is shown as a tombstone with its hash, so that the root can be computed from the pages. A page with a row that was sealed since is refused with the count.',
  auth: 'key',
  scope: 'datasets:read',
  namespace: 'bounded',
  params: z.object({ dataset_id: DatasetId }),
  query: RowsQuery,
  answers: { 200: envelope('One page', RowsAnswer) },
  errors: ['not_found', 'dataset_not_ready', 'invalid_cursor', 'sealed_rows'],
}).handle(async ({ op, params: { dataset_id: id }, query }) => {
  const { side, limit, cursor } = query
  const version = await findReadyVersion(op, id, query.version)
  const { hashes: forgotten } = await pendingForgets(op, id)
  const page = await readPage(op.db, version, {
    from: firstPlace(cursor),
    limit,
    isHeld: side === undefined ? undefined : side === 'holdout',
    forgotten,
  })
  await refuseSealedPage(op, page.rows)
  return {
    status: 200,
    body: {
      dataset_id: id,
      version: version.version,
      row_count: version.rowCount,
      merkle_root: version.merkleRoot ?? '',
      rows: page.rows.map(presentRow),
      next_cursor: page.next === null ? null : `${page.next}.${CURSOR_ID}`,
    },
  }
})

function firstPlace(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const { rank, id } = placeOf(cursor)
  if (id !== CURSOR_ID) throw KERNEL_ERRORS.invalid_cursor('cursor: is not a cursor of this list')
  return rank
}

export const diffRoute = defineRoute({
  method: 'get',
  path: '/v1/datasets/{dataset_id}/diff',
  operationId: 'diffDataset',
  group: 'datasets',
  summary: 'Compare two versions of a dataset',
  description: 'Rows are compared by their hashes. `to_train` is 0 for versions that follow each other.',
  auth: 'key',
  scope: 'datasets:read',
  namespace: 'bounded',
  params: z.object({ dataset_id: DatasetId }),
  query: DiffQuery,
  answers: { 200: envelope('What differs', DiffAnswer) },
  errors: ['not_found', 'dataset_not_ready', 'sealed_rows'],
}).handle(async ({ op, params: { dataset_id: id }, query }) => {
  if (query.to !== undefined && query.version !== undefined) throw invalidField('version', 'must be absent beside to')
  const to = await findReadyVersion(op, id, query.to ?? query.version)
  const from = await findReadyVersion(op, id, query.from ?? Math.max(1, to.source.base ?? to.version))
  const [before, after] = [await readIndex(op.db, from.indexSha256), await readIndex(op.db, to.indexSha256)]
  const { kept, counts, changed } = await runDiff(before, after, query.limit)
  const { hashes: forgotten } = await pendingForgets(op, id)
  const rows = await Promise.all(
    changed.map(async ({ change, place }) => {
      const version = change === 'removed' ? from : to
      const page = await readPage(op.db, version, { from: place, limit: 1, forgotten })
      return page.rows.map((row) => ({ change, row }))
    }),
  )
  await refuseSealedPage(
    op,
    rows.flat().map(({ row }) => row),
  )
  return {
    status: 200,
    body: {
      dataset_id: id,
      from: from.version,
      to: to.version,
      ...counts,
      kept,
      rows: rows.flat().map(({ change, row }) => ({ change, ...presentRow(row) })),
    },
  }
})
