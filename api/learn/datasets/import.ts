import { z } from 'zod'
import { invalidField } from '../../../core/kernel/errors.ts'
import { DatasetId } from '../../../core/kernel/wire/ids.ts'
import { BuiltVersion } from '../../../core/learn/wire/datasets/answers.ts'
import { ImportBody, ImportForm, ImportSpec } from '../../../core/learn/wire/datasets/requests.ts'
import { requireAllowance } from '../../../db/kernel/storage/allowance.ts'
import { findDataset, findVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { readCaptureChoice, refuseUnusedIds, splitOf } from './read-choices.ts'
import { receiveUpload } from './receive-upload.ts'
import { requireOneSource, SUBMIT_ERRORS, submitVersion, type SubmitCall } from './submit-version.ts'

const ROUTE = 'importIntoDataset'
/** Ratio of a dataset whose first version was not built. */
const USUAL_RATIO = 0.8

export const importRoute = defineRoute({
  method: 'post',
  path: '/v1/datasets/{dataset_id}/import',
  operationId: ROUTE,
  group: 'datasets',
  summary: 'Import rows into a dataset',
  description:
    'Makes the next version: the rows of the newest one, less those of `remove`, and after them the new ones, of `rows`, `paths`, uploaded files or captures as in `POST /v1/datasets`. A row whose input was ever held out is held out again, and takes its conversation and near-duplicates along. Versions before stay as they are.',
  auth: 'key',
  scope: 'datasets:write',
  namespace: 'bounded',
  idempotency: 'handler',
  stores: 'blobs',
  bodyLimit: 'inline_body_bytes',
  partsLimit: 'inline_body_parts',
  params: z.object({ dataset_id: DatasetId }),
  body: ImportBody,
  multipart: ImportForm,
  answers: {
    201: envelope('The version is ready', BuiltVersion),
    202: envelope('The version is being built', BuiltVersion),
  },
  errors: [...SUBMIT_ERRORS, 'forbidden'],
}).handle(
  async (call) => {
    const { body, params } = call
    requireOneSource(body)
    return await importInto(call, params.dataset_id, body, { rows: body.rows, paths: body.paths })
  },
  async (call) => {
    const { op, services, request, params } = call
    await requireAllowance(op, services.limits)
    const received = await receiveUpload(request, ImportSpec, services, op.tenantId)
    try {
      return await importInto(call, params.dataset_id, received.spec, { files: received.files })
    } finally {
      await received.release()
    }
  },
)

type Given = Pick<Parameters<typeof submitVersion>[1], 'rows' | 'paths' | 'files'>

async function importInto(call: SubmitCall, datasetId: string, spec: z.output<typeof ImportSpec>, given: Given) {
  const dataset = await findDataset(call.op, datasetId)
  const hasFiles = given.rows !== undefined || given.paths !== undefined || given.files !== undefined
  if (!hasFiles && !spec.from_captures && spec.remove.length === 0) {
    throw invalidField('rows', 'is required: give rows, paths, files, from_captures or remove')
  }
  if (!spec.from_captures) refuseUnusedIds(spec)
  const captures = spec.from_captures ? await readCaptureChoice(call, dataset.namespace, spec) : null
  const before = dataset.version === 0 ? null : await findVersion(call.op, datasetId, dataset.version)
  return await submitVersion(call, {
    route: ROUTE,
    of: { datasetId },
    kind: 'import',
    captures,
    removed: spec.remove,
    split: {
      ...splitOf(spec),
      train_ratio: spec.train_ratio ?? before?.split.train_ratio ?? USUAL_RATIO,
      is_strict: false,
    },
    ...given,
  })
}
