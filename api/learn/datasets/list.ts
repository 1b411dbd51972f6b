import { z } from 'zod'
import { DatasetId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { DatasetAnswer, DeleteDatasetAnswer, ListDatasetsAnswer } from '../../../core/learn/wire/datasets/answers.ts'
import { DatasetNamespace } from '../../../core/learn/wire/datasets/fields.ts'
import { DatasetQuery } from '../../../core/learn/wire/datasets/requests.ts'
import { deleteDataset } from '../../../db/learn/datasets/delete-dataset.ts'
import { findDataset, findQuality, findVersion, listVersions } from '../../../db/learn/datasets/find-dataset.ts'
import { listDatasets } from '../../../db/learn/datasets/list-datasets.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { presentNamed, presentVersion } from './present-dataset.ts'

const MOST_VERSIONS = 100

export const listDatasetsRoute = defineRoute({
  method: 'get',
  path: '/v1/datasets',
  operationId: 'listDatasets',
  group: 'datasets',
  summary: 'List datasets, newest first',
  auth: 'key',
  scope: 'datasets:read',
  namespace: 'bounded',
  query: (limits) => pageOf(50)(limits).extend({ namespace: DatasetNamespace.optional() }),
  answers: { 200: envelope('One page', ListDatasetsAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const { items, total, nextCursor } = await listDatasets(op, query)
  const datasets = items.map((dataset) => ({
    ...presentNamed(dataset),
    version: dataset.version,
    state: dataset.state,
    row_count: dataset.rowCount,
    train_count: dataset.trainCount,
    holdout_count: dataset.holdoutCount,
    row_type: dataset.rowType,
    created_at: dataset.createdAt.toISOString(),
  }))
  return { status: 200, body: { total, datasets, next_cursor: nextCursor } }
})

export const getDatasetRoute = defineRoute({
  method: 'get',
  path: '/v1/datasets/{dataset_id}',
  operationId: 'getDataset',
  group: 'datasets',
  summary: 'Show a dataset, with the quality of a version',
  description:
    'The newest ready version unless `version` names one, its report, and the versions of the dataset. The version that was begun first is shown while none is ready.',
  auth: 'key',
  scope: 'datasets:read',
  namespace: 'bounded',
  params: z.object({ dataset_id: DatasetId }),
  query: DatasetQuery,
  answers: { 200: envelope('The dataset', DatasetAnswer) },
  errors: ['not_found'],
}).handle(async ({ op, params: { dataset_id: id }, query }) => {
  const dataset = await findDataset(op, id)
  const shown = query.version ?? (dataset.version || dataset.versionCount)
  const body = {
    ...presentNamed(dataset),
    ...presentVersion(await findVersion(op, id, shown)),
    quality: await findQuality(op, id, shown),
    versions: (await listVersions(op, id, MOST_VERSIONS)).map(presentVersion),
  }
  return { status: 200, body }
})

export const deleteDatasetRoute = defineRoute({
  method: 'delete',
  path: '/v1/datasets/{dataset_id}',
  operationId: 'deleteDataset',
  group: 'datasets',
  summary: 'Delete a dataset with all its versions',
  description: 'Compiles of its rows keep what they copied. Refused while a version is being built.',
  auth: 'key',
  scope: 'datasets:write',
  namespace: 'bounded',
  params: z.object({ dataset_id: DatasetId }),
  answers: { 200: envelope('The dataset is gone', DeleteDatasetAnswer) },
  errors: ['not_found', 'dataset_building'],
}).handle(async ({ op, params: { dataset_id: id } }) => {
  await deleteDataset(op, id)
  return { status: 200, body: { deleted: true, dataset_id: id } }
})
