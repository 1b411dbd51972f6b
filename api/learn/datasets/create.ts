import type { z } from 'zod'
import { CreateDatasetBody, CreateDatasetForm, CreateDatasetSpec } from '../../../core/learn/wire/datasets/requests.ts'
import { BuiltVersion } from '../../../core/learn/wire/datasets/answers.ts'
import type { NewVersion } from '../../../db/learn/datasets/create-version.ts'
import { requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import { requireAllowance } from '../../../db/kernel/storage/allowance.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { receiveUpload } from './receive-upload.ts'
import { readCaptureChoice, refuseUnusedIds, splitOf } from './read-choices.ts'
import { requireOneSource, SUBMIT_ERRORS, submitVersion, type SubmitCall } from './submit-version.ts'

const ROUTE = 'createDataset'

export const createDatasetRoute = defineRoute({
  method: 'post',
  path: '/v1/datasets',
  operationId: ROUTE,
  group: 'datasets',
  summary: 'Make a dataset',
  description: (limits) =>
    `Makes the first version of a dataset, of up to ${limits.dataset_rows} rows: of captures of a namespace by their review (the reviewer's \`fixed_output\` in place of the answer; forgotten ones never), of \`rows\`, of files in your workspace (\`paths\`), or of uploaded files. A file is JSONL, JSON, CSV or Parquet with rows of one type of TRL (text, prompt-completion, preference, unpaired; plain or messages), Alpaca's, ShareGPT's, or input and output; a zip or a folder is read as \`datasets\` reads it. Equal rows are kept once. Conversations and near-duplicates stay on one side, and labels keep their shares. Waits for the end; after ${limits.sync_dataset_wait_s} seconds it answers 202, and \`poll\` shows the rest.`,
  auth: 'key',
  scope: 'datasets:write',
  namespace: 'bounded',
  idempotency: 'handler',
  stores: 'blobs',
  bodyLimit: 'inline_body_bytes',
  partsLimit: 'inline_body_parts',
  body: CreateDatasetBody,
  multipart: CreateDatasetForm,
  answers: {
    201: envelope('The version is ready', BuiltVersion),
    202: envelope('The version is being built', BuiltVersion),
  },
  errors: [...SUBMIT_ERRORS, 'forbidden'],
}).handle(
  async (call) => {
    const { body } = call
    requireOneSource(body)
    return await create(call, body, { rows: body.rows, paths: body.paths })
  },
  async (call) => {
    const { op, services, request } = call
    await requireAllowance(op, services.limits)
    const received = await receiveUpload(request, CreateDatasetSpec, services, op.tenantId)
    try {
      return await create(call, received.spec, { files: received.files })
    } finally {
      await received.release()
    }
  },
)

type Given = Pick<Parameters<typeof submitVersion>[1], 'rows' | 'paths' | 'files'>

async function create(call: SubmitCall, spec: z.output<typeof CreateDatasetSpec>, given: Given) {
  const { namespace, name, train_ratio: ratio } = spec
  requireNamespace(call.op, namespace)
  const hasFiles = given.rows !== undefined || given.paths !== undefined || given.files !== undefined
  const takesCaptures = spec.from_captures ?? !hasFiles
  if (!takesCaptures) refuseUnusedIds(spec)
  const captures = takesCaptures ? await readCaptureChoice(call, namespace, spec) : null
  const of: NewVersion['of'] = { namespace, name: name ?? namespace }
  return await submitVersion(call, {
    route: ROUTE,
    of,
    kind: captures !== null && !hasFiles ? 'captures' : 'import',
    captures,
    removed: [],
    split: { ...splitOf(spec), train_ratio: ratio, is_strict: false },
    ...given,
  })
}
