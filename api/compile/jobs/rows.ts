import { z } from 'zod'
import { RECIPE_KINDS } from '../../../core/compile/rows/task.ts'
import { ROW_SIDES } from '../../../core/compile/wire/jobs/explain/row-sides.ts'
import { RowsAnswer } from '../../../core/compile/wire/jobs/explain/rows.ts'
import { isJsonObject } from '../../../core/kernel/json/json.ts'
import { JobId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { listRows } from '../../../db/compile/jobs/list-rows.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

export const listRowsRoute = defineRoute({
  method: 'get',
  path: '/v1/compile/{id}/rows',
  operationId: 'listCompileRows',
  group: 'compile',
  summary: 'List the rows of a compile with their results',
  description: ({ stage_result_days: unsigned, dataset_days: signed }) =>
    `For each row: input, expected output, answer, whether it is right, and the checks that the answer failed. Rows are there once they are scored, also when the job is gated or failed afterwards; a job that ended before has none. They are kept as long as the examples: ${signed} days, and ${unsigned} days for a job without an artifact.`,
  auth: 'key',
  scope: 'compile:read',
  namespace: 'bounded',
  params: z.object({ id: JobId }),
  query: (limits) =>
    pageOf(100)(limits).extend({
      only: z.enum(['wrong', 'abstained']).optional().meta({
        description: '`wrong`: rows that count against the gate. `abstained`: rows on which the recipe abstained',
      }),
      side: z.enum(ROW_SIDES).optional(),
    }),
  answers: { 200: envelope('One page', RowsAnswer) },
  errors: ['invalid_cursor', 'not_ready', 'rows_expired'],
}).handle(async ({ op, params, query }) => {
  const job = await findJob(op, params.id)
  const page = await listRows(op, job, query)
  return {
    status: 200,
    body: {
      job_id: job.id,
      status: job.status,
      recipe_kind: kindOf(job),
      rows: [...page.items],
      next_cursor: page.nextCursor,
    },
  }
})

function kindOf({ evaluation }: CompileJob): (typeof RECIPE_KINDS)[number] | null {
  const facts = evaluation ?? undefined
  const kind = isJsonObject(facts) ? facts['recipe_kind'] : undefined
  return RECIPE_KINDS.find((one) => one === kind) ?? null
}
