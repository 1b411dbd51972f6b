import { z } from 'zod'
import { DatasetId } from '../../../core/kernel/wire/ids.ts'
import { BuiltVersion, SplitAnswer } from '../../../core/learn/wire/datasets/answers.ts'
import { SplitBody } from '../../../core/learn/wire/datasets/requests.ts'
import { findReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import { readPage } from '../../../db/learn/datasets/read-rows.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { splitOf } from './read-choices.ts'
import { SUBMIT_ERRORS, submitVersion } from './submit-version.ts'

const ROUTE = 'splitDataset'
/** Ids that an answer names of each side. */
const MOST_IDS = 1000

export const splitRoute = defineRoute({
  method: 'post',
  path: '/v1/datasets/{dataset_id}/split',
  operationId: ROUTE,
  group: 'datasets',
  summary: 'Split a dataset into train and holdout',
  description:
    'Makes the next version, with the same rows and a new split. It depends on the rows alone, not on their order or on a clock: the seed is the hash of their sorted hashes unless you give one. Conversations and near-duplicates stay whole, labels keep their shares, and what was once held out stays held out. A ratio that leaves a side empty is refused.',
  auth: 'key',
  scope: 'datasets:write',
  namespace: 'bounded',
  idempotency: 'handler',
  stores: 'blobs',
  params: z.object({ dataset_id: DatasetId }),
  body: SplitBody,
  answers: {
    201: envelope('The version is ready', SplitAnswer),
    202: envelope('The version is being built', BuiltVersion),
  },
  errors: SUBMIT_ERRORS,
}).handle(async (call) => {
  const { op, params, body } = call
  const answer = await submitVersion(call, {
    route: ROUTE,
    of: { datasetId: params.dataset_id },
    kind: 'split',
    captures: null,
    removed: [],
    split: { ...splitOf(body), train_ratio: body.train_ratio, is_strict: true },
  })
  if (answer.status === 202) return { status: 202, body: answer.body }
  const { dataset_id: datasetId, version, train_count: train, row_count: rows } = answer.body
  const [train_ids, holdout_ids] = [
    await idsOf(op, { datasetId, version, isHeld: false }),
    await idsOf(op, { datasetId, version, isHeld: true }),
  ]
  return { status: 201, body: { ...answer.body, train_ids, holdout_ids, ratio: train / Math.max(1, rows) } }
})

async function idsOf(
  op: Operation,
  { datasetId, version, isHeld }: { readonly datasetId: string; readonly version: number; readonly isHeld: boolean },
): Promise<string[]> {
  const row = await findReadyVersion(op, datasetId, version)
  const { hashes: forgotten } = await pendingForgets(op, datasetId)
  const { rows } = await readPage(op.db, row, { from: 0, limit: MOST_IDS, isHeld, forgotten })
  return rows.flatMap(({ stored }) => (stored === null ? [] : [stored.id]))
}
