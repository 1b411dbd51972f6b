import { countRows } from '../../../core/compile/wire/given-rows.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { CreatedJob } from '../../../db/compile/jobs/create-job.ts'
import { compileBody, CompileForm, LONG_LISTS, type CompileSpec } from '../../../core/compile/wire/jobs/spec.ts'
import {
  noExamples,
  SUBMIT_ERRORS,
  submitInline,
  submitUpload,
  WAIT_ERRORS,
  type SubmitCall,
} from '../submit/submit.ts'
import { submitFromDataset } from '../submit/sources/from-dataset.ts'
import { submitFromCaptures } from '../submit/sources/from-captures.ts'
import { waitUntilReady } from '../submit/wait.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { presentJob } from './present-job.ts'
import { JobView } from '../../../core/compile/wire/jobs/job.ts'
import { Accepted } from '../../../core/compile/wire/jobs/accepted.ts'
import { presentAccepted } from './present-accepted.ts'
import { defineRoute, type CallFacts } from '../services.ts'

const ROUTE = 'createCompile'

export const createCompileRoute = defineRoute({
  method: 'post',
  path: '/v1/compile',
  operationId: ROUTE,
  group: 'compile',
  summary: 'Compile examples into a signed archive',
  description: (limits) =>
    `Takes up to ${limits.inline_examples} examples inline, an upload of up to ${limits.upload_rows} rows, as many approved captures (\`from_captures\`), or a dataset (\`dataset_id\`), whose held-out rows score the recipe. Waits for the end unless \`mode\` is \`async\`, or is absent and the compile may ask questions or has a \`deploy_hook\`; after ${limits.sync_compile_wait_s} seconds it answers 202 all the same. A caller that lost its connection repeats the call with the same \`Idempotency-Key\`.`,
  auth: 'key',
  scope: 'compile:write',
  namespace: 'bounded',
  bodyLimit: 'inline_body_bytes',
  longLists: LONG_LISTS,
  idempotency: 'handler',
  stores: 'blobs',
  body: compileBody,
  multipart: CompileForm,
  answers: {
    200: envelope('The job is done', JobView),
    202: envelope('The job is accepted and goes on', Accepted),
  },
  errors: [...SUBMIT_ERRORS, 'dataset_not_ready', 'busy', 'capture_forgotten', 'forbidden', ...WAIT_ERRORS],
}).handle(
  async (call) => {
    const { examples, unlabelled_inputs: unlabelled = [], from_captures: captures, ...rest } = call.body
    const { dataset_id: datasetId, dataset_version: version, ...spec } = rest
    if (datasetId !== undefined) {
      for (const [field, value] of Object.entries({ examples, from_captures: captures })) {
        if (value !== undefined) throw invalidField(field, 'must be absent beside dataset_id')
      }
      if (countRows(unlabelled) > 0) throw invalidField('unlabelled_inputs', 'must be absent beside dataset_id')
      return await answerCompile(call, spec, await submitFromDataset(call, { route: ROUTE, spec, datasetId, version }))
    }
    if (version !== undefined) throw invalidField('dataset_version', 'needs dataset_id')
    if (captures !== undefined) {
      if (examples !== undefined) throw invalidField('from_captures', 'must be absent where examples are given')
      if (countRows(unlabelled) > 0) throw invalidField('unlabelled_inputs', 'must be absent beside from_captures')
      const source = { namespace: captures.namespace, ids: captures.capture_ids }
      const learning = await submitFromCaptures(call, { route: ROUTE, spec, source })
      return await answerCompile(call, spec, learning)
    }
    if (examples === undefined) throw noExamples()
    return await answerCompile(call, spec, await submitInline(call, { route: ROUTE, spec, examples, unlabelled }))
  },
  async (call) => {
    const { spec, created } = await submitUpload(call, ROUTE)
    return await answerCompile(call, spec, created)
  },
)

type WaitingCall = SubmitCall & Pick<CallFacts, 'endOfCall'>

/**
 * 202 for the asynchronous mode, for a compile that may ask, and for one with a deploy hook; otherwise the end of the job,
 * or 202 when that takes too long.
 */
export async function answerCompile(call: WaitingCall, spec: CompileSpec, created: CreatedJob) {
  const accepted = { status: 202, body: presentAccepted(created) } as const
  const mayAsk = (spec.questions?.max ?? 0) > 0
  const staysOpen = mayAsk || spec.deploy_hook !== undefined
  if (spec.mode === 'async' || (spec.mode === undefined && staysOpen)) return accepted
  const job = await waitUntilReady(call, created.job.id)
  return job === undefined ? accepted : ({ status: 200, body: await presentJob(call.op, job) } as const)
}
