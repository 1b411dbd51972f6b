import { z } from 'zod'
import { JobId } from '../../../core/kernel/wire/ids.ts'
import { JobView } from '../../../core/compile/wire/jobs/job.ts'
import { AcceptanceUnderWay } from '../../../core/compile/wire/jobs/explain/acceptance.ts'
import { acceptJob } from '../../../db/compile/progress/acceptances/accept-job.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { waitUntilAccepted } from '../submit/wait.ts'
import { presentJob } from './present-job.ts'

export const acceptCompileRoute = defineRoute({
  method: 'post',
  path: '/v1/compile/{id}/accept',
  operationId: 'acceptCompile',
  group: 'compile',
  summary: 'Sign the best candidate of a gated job below its floor',
  description: ({ stage_result_days: days, sync_compile_wait_s: wait }) =>
    `Only for a gated job with a candidate, within ${days} days of its end. The artifact is charged like any other, states who accepted it with K and floor, and has \`production_ready: false\`. Waits for the signature, at most ${wait} seconds. A repeated call changes nothing and answers the job.`,
  auth: 'key',
  scope: 'compile:write',
  namespace: 'bounded',
  stores: 'bounded',
  params: z.object({ id: JobId }),
  answers: {
    200: envelope('The job with its artifact', JobView),
    202: envelope('The job is accepted, and its archive is being signed', AcceptanceUnderWay),
  },
  errors: ['not_gated', 'no_candidate', 'candidate_expired', 'quota_exhausted', 'compile_failed'],
}).handle(async (call) => {
  const { op, params, principal, services } = call
  const { limits } = services
  const { plan, quota } = principal
  await acceptJob(op, { jobId: params.id, plan, quota, chargedTo: chargedTo(principal), limits })
  const job = await waitUntilAccepted(call, params.id)
  if (job !== undefined) return { status: 200, body: await presentJob(op, job) }
  const path = `/v1/compile/${params.id}`
  return {
    status: 202,
    body: { job_id: params.id, status: 'gated', poll: path, stream_url: `/v1/compile/stream/${params.id}` },
  }
})
