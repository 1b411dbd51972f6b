import { askQuestion } from '../../../db/compile/progress/questions/questions.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { ApiTenant, TestApi } from '../../support/api.ts'
import { setUpOperation } from '../../support/people/given-members.ts'

/** Makes a compile that waits for the answer to its question 1; returns the call that answers it. */
export async function givenOpenQuestion(
  api: TestApi,
  given: { readonly tenant: ApiTenant; readonly db: Database; readonly body: object },
): Promise<{ readonly path: string; readonly body: object }> {
  const { body: job } = await api.call('POST', '/v1/compile', { key: given.tenant.key, body: given.body })
  await askQuestion(setUpOperation(given.db, given.tenant.id), {
    jobId: job.job_id,
    number: 1,
    question: { input: 'x', reason: 'best_fails', answers: [], unanswered: 1 },
    waitS: 600,
    now: new Date(),
  })
  return { path: `/v1/compile/${job.job_id}/answers`, body: { question: 1, answer: 'skip' } }
}
