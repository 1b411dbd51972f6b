import { z } from 'zod'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { EvaluationId } from '../../../core/kernel/wire/ids.ts'
import { inspectLog } from '../../../core/learn/evals/logs/inspect-log.ts'
import { lmEvalLog } from '../../../core/learn/evals/logs/lm-eval-log.ts'
import type { LoggedRow } from '../../../core/learn/evals/logs/log-facts.ts'
import { writeZip } from '../../../core/learn/evals/logs/write-zip.ts'
import { eachEvaluationRow } from '../../../db/learn/evals/evaluation-rows.ts'
import { findEvaluation } from '../../../db/learn/evals/find-evaluation.ts'
import { recordLogDownload } from '../../../db/learn/evals/record-log-download.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { defineRoute } from '../services.ts'

/** The forms of logs, with the end of their file names. */
const FORMATS = { inspect: '.eval', 'lm-eval': '.zip' } as const

export const getEvalLogRoute = defineRoute({
  method: 'get',
  path: '/v1/evals/{id}/log',
  operationId: 'getEvaluationLog',
  group: 'evals',
  summary: 'Download the log of an evaluation',
  description:
    '`inspect`: the `.eval` file that Inspect reads (`inspect view`, `read_eval_log`), written for inspect_ai 0.3.285. `lm-eval`: a zip of the results and samples that lm-evaluation-harness 0.4.13 writes. Each download is in the audit log.',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  params: z.object({ id: EvaluationId }),
  query: z.object({ format: z.enum(['inspect', 'lm-eval']).default('inspect') }),
  answers: { 200: { kind: 'raw', mediaType: 'application/zip', description: 'The log' } },
  errors: ['not_ready'],
}).handle(async ({ op, request, params: { id }, query: { format } }) => {
  const { summary, finishedAt, ...evaluation } = await findEvaluation(op, id)
  if (summary === null || summary === undefined || finishedAt === null || finishedAt === undefined) {
    throw COMPILE_ERRORS.not_ready('the evaluation has no figures yet')
  }
  const facts = { ...evaluation, summary, finishedAt }
  const rows = (task: string | null) => loggedRows(op, id, task)
  // HEAD gets no byte of it.
  if (request.method === 'GET') await recordLogDownload(op, { evaluationId: id, format })
  const files = format === 'inspect' ? inspectLog(facts, rows) : lmEvalLog(facts, rows)
  return {
    status: 200,
    raw: { kind: 'stream', stream: writeZip(files, finishedAt) },
    headers: { 'content-disposition': `attachment; filename="${id}${FORMATS[format]}"` },
  }
})

async function* loggedRows(op: Operation, id: string, task: string | null): AsyncGenerator<LoggedRow> {
  for await (const { place, sample, outcome } of eachEvaluationRow(op, id, task ?? undefined)) {
    if (outcome !== null && outcome !== undefined) yield { place, sample, outcome }
  }
}
