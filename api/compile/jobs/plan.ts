import { z } from 'zod'
import { estimateCompile, type EstimateInput } from '../../../core/compile/stages/estimate.ts'
import { DEFAULT_K } from '../../../core/compile/stages/sample/sample-count.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { sha256, type Json } from '../../../core/kernel/json/json.ts'
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
  PreviewCompileAnswer,
  previewCompileBody,
  startCompileBody,
  StartCompileAccepted,
  StartCompileAnswer,
  taskFields,
} from '../../../core/compile/wire/jobs/plan.ts'
import { matchTemplate } from '../../../core/compile/stages/advice/templates/match.ts'
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
        description: 'How many examples there are',
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

export const previewCompileRoute = defineRoute({
  method: 'post',
  path: '/v1/compile/preview',
  operationId: 'previewCompile',
  group: 'compile',
  summary: 'Show a sample of the rows of a compile',
  description:
    'Needs no provider key and gives the same sample for the same request. Given examples are shown as they would be read; without them, rows of the starter template that the description resembles most, said so in `method`.',
  auth: 'optional',
  scope: 'compile:read',
  namespace: 'none: it computes from the request alone',
  stores: 'bounded',
  longLists: LONG_LISTS,
  limit: { name: 'preview', limit: 'previews_per_ip_minute', windowS: 60, counts: 'calls' },
  body: previewCompileBody,
  answers: {
    200: envelope('The sample', PreviewCompileAnswer),
  },
  errors: ['missing_describe', 'too_many_examples', 'example_too_large'],
}).handle(async ({ services, body, caller }) => {
  const text = body.describe ?? body.task ?? ''
  const given = await services.intake.sample(body.examples ?? [], caller)
  const sample = given.count > 0 ? fromExamples(given) : fromTemplate(text)
  return {
    status: 200,
    body: { ...sample, describe_hash: sha256(text), generated_at: services.now().toISOString() },
  }
})

const SHOWN = 5

function fromExamples(given: {
  readonly count: number
  readonly rows: readonly { readonly input: Json; readonly output: Json }[]
}) {
  return {
    pairs: given.rows.slice(0, SHOWN).map(({ input, output }) => ({ q: input, a: output })),
    examples_n: given.count,
    method: 'given_examples' as const,
    template_id: null,
    note: 'the first of the given examples, as a compile reads them',
  }
}

function fromTemplate(text: string) {
  const template = matchTemplate(text)
  return {
    pairs: (template?.examples ?? []).slice(0, SHOWN).map(({ input, output }) => ({ q: input, a: output })),
    examples_n: 0,
    method: template ? ('template_rows' as const) : ('none' as const),
    template_id: template?.id ?? null,
    note: template
      ? `rows of the starter template ${template.id}, which the description resembles; they are made up and say nothing about your data`
      : 'no starter template resembles the description; give examples',
  }
}

export const startCompileRoute = defineRoute({
  method: 'post',
  path: '/v1/compile/start',
  operationId: 'startCompile',
  group: 'compile',
  summary: 'Start a compile whose progress is streamed',
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
  errors: [...SUBMIT_ERRORS, ...WAIT_ERRORS, 'unknown_namespace'],
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
  return { status: 202, body: { ...presentAccepted(created.job.id), ...whereToLook(created.job) } } as const
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
