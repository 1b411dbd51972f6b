import { z } from 'zod'
import { TEMPLATES } from '../../../core/compile/stages/advice/templates/catalog.ts'
import { countJobs, listJobs } from '../../../db/compile/jobs/list-jobs.ts'
import { CompileChoices, LONG_LISTS } from '../submit/spec.ts'
import { SUBMIT_ERRORS, submitInline } from '../submit/submit.ts'
import { envelope, JsonValue } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { Accepted, presentAccepted } from '../schemas/accepted.ts'
import { JobId } from '../../kernel/schemas/ids.ts'
import { JobSummaryView, presentJobSummary } from '../schemas/job.ts'
import { NextCursor, pageOf } from '../../kernel/schemas/page.ts'
import { builderBody } from './previews.ts'

export const compileBuilderRoute = defineRoute({
  method: 'post',
  path: '/v1/builder/compile',
  operationId: 'compileBuilder',
  group: 'build',
  summary: 'Compile out of the guided builder',
  description: 'The checks of the preview, then a compile as `POST /v1/compile` with `mode` `async` makes it.',
  auth: 'key',
  scope: 'compile:write',
  namespace: 'bounded',
  bodyLimit: 'inline_body_bytes',
  longLists: LONG_LISTS,
  idempotency: 'handler',
  stores: 'blobs',
  body: (limits) => builderBody(limits).extend(CompileChoices.pick({ k_score_floor: true, concept_id: true }).shape),
  answers: { 202: envelope('The job is accepted', Accepted) },
  errors: SUBMIT_ERRORS,
}).handle(async (call) => {
  const { examples, ...given } = call.body
  const spec = { ...given, base_model: 'none', recipe_kind: 'auto', trainer: 'embedded', mode: 'async' } as const
  const { job } = await submitInline(call, { route: 'compileBuilder', spec, examples, unlabelled: [] })
  return { status: 202, body: presentAccepted(job.id) }
})

export const listTemplatesRoute = defineRoute({
  method: 'get',
  path: '/v1/builder/templates',
  operationId: 'listTemplates',
  group: 'build',
  summary: 'Starter templates',
  description: 'Tasks with rows that the project made up. Each compiles to a passing holdout as it is.',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'none: it answers what comes with the service',
  answers: {
    200: envelope(
      'All templates',
      z.object({
        templates: z.array(
          z.object({
            id: z.string(),
            name: z.string(),
            description: z.string(),
            task: z.string(),
            examples: z.array(z.object({ input: JsonValue, output: JsonValue })),
          }),
        ),
      }),
    ),
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
  summary: 'The own builds, newest first',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  query: pageOf(25),
  answers: {
    200: envelope(
      'One page',
      z.object({
        total: z.int(),
        builds: z.array(JobSummaryView.extend({ job_id: JobId, task: z.string(), base_model: z.string() })),
        next_cursor: NextCursor,
      }),
    ),
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
