import { z } from 'zod'
import { againBody } from '../../../core/compile/wire/jobs/explain/again.ts'
import { Accepted } from '../../../core/compile/wire/jobs/accepted.ts'
import { JobView } from '../../../core/compile/wire/jobs/job.ts'
import { JobId } from '../../../core/kernel/wire/ids.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { submitAgain } from '../submit/sources/again.ts'
import { SUBMIT_ERRORS, WAIT_ERRORS } from '../submit/submit.ts'
import { answerCompile } from './create.ts'

const ROUTE = 'compileAgain'

export const compileAgainRoute = defineRoute({
  method: 'post',
  path: '/v1/compile/{id}/again',
  operationId: ROUTE,
  group: 'compile',
  summary: 'Compile the examples of an earlier job with changes',
  description:
    'Keeps task, choices and examples of the job, whatever its end, and changes what the body names. An example with the `id` of an earlier one replaces it, others are added, and `remove` omits some. Answers to questions of the job are examples. Waits and answers as `POST /v1/compile` does.',
  auth: 'key',
  scope: 'compile:write',
  namespace: 'bounded',
  idempotency: 'handler',
  stores: 'blobs',
  params: z.object({ id: JobId }),
  body: againBody,
  answers: {
    200: envelope('The job is done', JobView),
    202: envelope('The job is accepted and goes on', Accepted),
  },
  errors: [...SUBMIT_ERRORS, 'rows_expired', 'capture_forgotten', 'busy', ...WAIT_ERRORS],
}).handle(async (call) => {
  const { op, params, body } = call
  const job = await findJob(op, params.id)
  const { spec, created } = await submitAgain(call, { route: ROUTE, job, body })
  return await answerCompile(call, spec, created)
})
