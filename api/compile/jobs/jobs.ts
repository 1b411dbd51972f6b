import { z } from 'zod'
import { JOB_STATUSES } from '../../../core/compile/rows/task.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { cancelJob } from '../../../db/compile/jobs/cancel-job.ts'
import { listJobs } from '../../../db/compile/jobs/list-jobs.ts'
import { ARCHIVE_ANSWERS, ARCHIVE_ERRORS, download } from '../submit/archive.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { JobId } from '../../../core/kernel/wire/ids.ts'
import { JobView } from '../../../core/compile/wire/jobs/job.ts'
import { presentJob, presentJobSummary } from './present-job.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { ListCompilesAnswer } from '../../../core/compile/wire/jobs/jobs.ts'
import { defineRoute } from '../services.ts'

export const listCompilesRoute = defineRoute({
  method: 'get',
  path: '/v1/compile',
  operationId: 'listCompiles',
  group: 'compile',
  summary: 'List the compile jobs of the tenant, newest first',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  query: (limits) => pageOf(50)(limits).extend({ status: z.enum(JOB_STATUSES).optional() }),
  answers: { 200: envelope('One page', ListCompilesAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const page = await listJobs(op, query)
  return { status: 200, body: { jobs: page.items.map(presentJobSummary), next_cursor: page.nextCursor } }
})

export const getCompileRoute = defineRoute({
  method: 'get',
  path: '/v1/compile/{id}',
  operationId: 'getCompile',
  group: 'compile',
  summary: 'Show a job',
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  params: z.object({ id: JobId }),
  answers: { 200: envelope('The job as it stands', JobView) },
}).handle(async ({ op, params }) => ({ status: 200, body: await presentJob(op, await findJob(op, params.id)) }))

export const downloadCompileRoute = defineRoute({
  method: 'get',
  path: '/v1/compile/{id}/.svc',
  operationId: 'downloadCompile',
  group: 'compile',
  summary: 'Download the signed archive of a job',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  params: z.object({ id: JobId }),
  answers: ARCHIVE_ANSWERS,
  errors: ARCHIVE_ERRORS,
}).handle(async (call) => await download(call, call.params.id))

export const cancelCompileRoute = defineRoute({
  method: 'post',
  path: '/v1/compile/{id}/cancel',
  operationId: 'cancelCompile',
  group: 'compile',
  summary: 'Cancel a job',
  description:
    'Ends the job immediately and returns its units. Cancelling twice changes nothing; a job with another end answers 409.',
  auth: 'key',
  scope: 'compile:write',
  namespace: 'bounded',
  stores: 'bounded',
  params: z.object({ id: JobId }),
  answers: { 200: envelope('The job is cancelled', JobView) },
  errors: ['already_finished'],
}).handle(async ({ op, services, params }) => {
  const { job } = await cancelJob(op, { jobId: params.id, limits: services.limits })
  services.workflows.cancelSoon(params.id)
  return { status: 200, body: await presentJob(op, job) }
})
