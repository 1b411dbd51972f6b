import { countJobs, listJobs } from '../../../db/compile/jobs/list-jobs.ts'
import { LONG_LISTS } from '../../../core/compile/wire/jobs/spec.ts'
import { SUBMIT_ERRORS, submitInline } from '../submit/submit.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { Accepted } from '../../../core/compile/wire/jobs/accepted.ts'
import { presentAccepted } from '../jobs/present-accepted.ts'
import { presentJobSummary } from '../jobs/present-job.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { compileBuilderBody, ListBuildsAnswer, ListTemplatesAnswer } from '../../../core/compile/wire/build/builder.ts'
import { TEMPLATES } from '../../../core/compile/stages/advice/templates/catalog.ts'
import { defineRoute } from '../services.ts'

export const compileBuilderRoute = defineRoute({
  method: 'post',
  path: '/v1/builder/compile',
  operationId: 'compileBuilder',
  group: 'build',
  summary: 'Compile a build of the guided builder',
  description: 'Runs the checks of the preview, then starts a compile like `POST /v1/compile` with `mode` `async`.',
  auth: 'key',
  scope: 'compile:write',
  namespace: 'bounded',
  bodyLimit: 'inline_body_bytes',
  longLists: LONG_LISTS,
  idempotency: 'handler',
  stores: 'blobs',
  body: compileBuilderBody,
  answers: { 202: envelope('The job is accepted', Accepted) },
  errors: SUBMIT_ERRORS,
}).handle(async (call) => {
  const { examples, ...given } = call.body
  const spec = {
    ...given,
    base_model: 'none',
    recipe_kind: 'auto',
    trainer: 'embedded',
    rows: 'held',
    mode: 'async',
  } as const
  const created = await submitInline(call, { route: 'compileBuilder', spec, examples, unlabelled: [] })
  return { status: 202, body: presentAccepted(created) }
})

export const listTemplatesRoute = defineRoute({
  method: 'get',
  path: '/v1/builder/templates',
  operationId: 'listTemplates',
  group: 'build',
  summary: 'List starter templates',
  description: 'Tasks with invented rows. Each compiles unchanged and passes.',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'none: it answers what comes with the service',
  answers: {
    200: envelope('All templates', ListTemplatesAnswer),
  },
}).handle(async () => ({
  status: 200,
  body: {
    templates: TEMPLATES.map(({ id, name, description, task, examples }) => ({
      id,
      name,
      description,
      task,
      examples: examples.map(({ input, output }) => ({ input, output })),
    })),
  },
  headers: { 'Cache-Control': 'private, max-age=300' },
}))

export const listBuildsRoute = defineRoute({
  method: 'get',
  path: '/v1/builds',
  operationId: 'listBuilds',
  group: 'build',
  summary: 'List the builds of the tenant, newest first',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  query: pageOf(25),
  answers: {
    200: envelope('One page', ListBuildsAnswer),
  },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const [page, total] = await Promise.all([listJobs(op, query), countJobs(op)])
  return {
    status: 200,
    body: {
      total,
      builds: page.items.map((job) => ({
        ...presentJobSummary(job),
        job_id: job.id,
        task: job.task,
        base_model: job.baseModel,
      })),
      next_cursor: page.nextCursor,
    },
  }
})
