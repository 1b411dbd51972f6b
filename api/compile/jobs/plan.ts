import { z } from 'zod'
import { estimateCompile, type EstimateInput } from '../../../core/compile/stages/preview/estimate.ts'
import { DEFAULT_K } from '../../../core/compile/stages/sample/sample-count.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { planAdapter, type AdapterChoices } from '../submit/choices.ts'
import { LONG_LISTS } from '../../../core/compile/wire/jobs/spec.ts'
import { noExamples, SUBMIT_ERRORS, submitInline, WAIT_ERRORS } from '../submit/submit.ts'
import { waitUntilReady } from '../submit/wait.ts'
import { countRows } from '../../../core/compile/wire/given-rows.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { presentAccepted } from './present-accepted.ts'
import { presentJob } from './present-job.ts'
import {
  ADAPTER_FIELDS,
  estimateCompileBody,
  EstimateView,
  startCompileBody,
  StartCompileAccepted,
  StartCompileAnswer,
  taskFields,
} from '../../../core/compile/wire/jobs/plan.ts'
import { defineRoute, type Call, type CompileServices } from '../services.ts'

const presentEstimate = async (
  services: Pick<CompileServices, 'settings' | 'limits'>,
  input: Omit<EstimateInput, 'teacher' | 'adapter' | 'rowsUsedPerCompile'>,
  choices: AdapterChoices,
): Promise<z.input<typeof EstimateView>> => {
  const { teacher, baseFolders } = services.settings
  const adapter = await planAdapter(choices, baseFolders)
  const rowsUsedPerCompile = services.limits.rows_used_per_compile
  const estimate = estimateCompile({ ...input, teacher, adapter, rowsUsedPerCompile })
  return {
    ...estimate,
    plan: estimate.plan.map((step) => ({ ...step })),
    inputs: { ...estimate.inputs, kinds: [...estimate.inputs.kinds] },
  }
}

const estimateAnswers = { 200: envelope('Expected time and price, with what they were computed from', EstimateView) }

export const estimateFromQueryRoute = defineRoute({
  method: 'get',
  path: '/v1/compile/estimate',
  operationId: 'estimateCompileFromQuery',
  group: 'compile',
  summary: 'Estimate a compile from a number of examples',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'none: it computes from the request alone',
  query: (limits) =>
    z.object({
      ...taskFields(limits),
      examples: z.coerce.number().int().min(0).max(limits.upload_rows).default(0).meta({
        description: 'Number of examples',
      }),
      ...ADAPTER_FIELDS,
    }),
  answers: estimateAnswers,
  errors: ['unknown_base_model', 'unsupported_architecture', 'invalid_model'],
}).handle(async ({ services, query }) => ({
  status: 200,
  body: await presentEstimate(
    services,
    {
      task: query.task ?? query.describe ?? '',
      rowCount: query.examples,
      sampleRows: [],
      k: DEFAULT_K,
    },
    query,
  ),
}))

export const estimateFromBodyRoute = defineRoute({
  method: 'post',
  path: '/v1/compile/estimate',
  operationId: 'estimateCompile',
  group: 'compile',
  summary: 'Estimate a compile of these examples',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'none: it computes from the request alone',
  stores: 'bounded',
  bodyLimit: 'inline_body_bytes',
  longLists: LONG_LISTS,
  body: estimateCompileBody,
  answers: estimateAnswers,
  errors: ['too_many_examples', 'example_too_large', 'unknown_base_model', 'unsupported_architecture', 'invalid_model'],
}).handle(async ({ services, body, caller }) => {
  const { count, rows } = await services.intake.sample(body.examples ?? [], caller)
  return {
    status: 200,
    body: await presentEstimate(
      services,
      {
        task: body.task ?? body.describe ?? '',
        rowCount: Math.max(count, body.rows ?? 0),
        sampleRows: rows,
        unlabelled: countRows(body.unlabelled_inputs ?? []),
        k: DEFAULT_K,
      },
      body,
    ),
  }
})

export const startCompileRoute = defineRoute({
  method: 'post',
  path: '/v1/compile/start',
  operationId: 'startCompile',
  group: 'compile',
  summary: 'Start a compile and stream its progress',
  auth: 'key',
  scope: 'compile:write',
  namespace: 'bounded',
  bodyLimit: 'inline_body_bytes',
  longLists: [...LONG_LISTS, 'pairs'],
  idempotency: 'handler',
  stores: 'blobs',
  query: z.object({
    sync: z.enum(['0', '1']).default('0').meta({ description: '`1` waits for the end, as `POST /v1/compile` does' }),
  }),
  body: startCompileBody,
  answers: {
    200: envelope('With `sync=1`: the job is done', StartCompileAnswer),
    202: envelope('The job is accepted and goes on', StartCompileAccepted),
  },
  errors: [...SUBMIT_ERRORS, ...WAIT_ERRORS],
}).handle(async (call) => await start(call))

async function start(call: Call<'key', unknown, { sync: '0' | '1' }, z.output<ReturnType<typeof startCompileBody>>>) {
  const { task, describe, examples, unlabelled_inputs: unlabelled = [], pairs, ...rest } = call.body
  const text = task ?? describe
  if (text === undefined) throw invalidField('task', 'is required')
  const rows = examples ?? pairs
  if (rows === undefined) throw noExamples()
  const spec = { ...rest, task: text, mode: 'async' } as const
  const spelling = examples === undefined ? 'pairs' : 'examples'
  const created = await submitInline(call, { route: 'startCompile', spec, examples: rows, spelling, unlabelled })
  const job = call.query.sync === '1' ? await waitUntilReady(call, created.job.id) : undefined
  if (job !== undefined) {
    return { status: 200, body: { ...(await presentJob(call.op, job)), ...whereToLook(job) } } as const
  }
  return { status: 202, body: { ...presentAccepted(created), ...whereToLook(created.job) } } as const
}

function whereToLook({ id, status }: CompileJob) {
  return {
    job: id,
    stream_url: `/v1/compile/stream/${id}`,
    reattach_hint: `GET /v1/compile/stream/${id}?cursor=<seq of the last event you saw>`,
    method: 'workflow' as const,
    state: status,
  }
}
