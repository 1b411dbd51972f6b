import { z } from 'zod'
import { answerId, checkAnswer } from '../../../core/compile/synthesis/questions/apply-answers.ts'
import { inferEquality } from '../../../core/compile/rows/equality/infer-equality.ts'
import { withTolerances } from '../../../core/compile/rows/equality/tolerance.ts'
import { readChoices } from '../../../core/compile/stages/lora/lora-options.ts'
import { inlineBounds } from '../../../core/compile/rows/intake/bounds.ts'
import { CONTRADICTIONS_REFUSED_BELOW } from '../../../core/compile/rows/intake/census/contradictions.ts'
import { checkJson, checkSize } from '../../../core/compile/rows/intake/json-bounds.ts'
import { readDataset, selectRows } from '../../../core/compile/rows/intake/dataset.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { AnswerBody, AnsweredQuestion } from '../../../core/compile/wire/jobs/questions.ts'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { JobId } from '../../../core/kernel/wire/ids.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { answerQuestion, type GivenAnswer } from '../../../db/compile/progress/questions/answer-question.ts'
import { listQuestions } from '../../../db/compile/progress/questions/questions.ts'
import { readBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { presentQuestion } from './present-question.ts'

export const answerQuestionRoute = defineRoute({
  method: 'post',
  path: '/v1/compile/{id}/answers',
  operationId: 'answerCompileQuestion',
  group: 'compile',
  summary: 'Answer a question of a compile',
  description:
    'The compile continues immediately: an output becomes an example, and the search runs again. A question takes one answer, until `answer_by`.',
  auth: 'key',
  scope: 'compile:write',
  namespace: 'bounded',
  idempotency: 'kernel',
  stores: 'bounded',
  params: z.object({ id: JobId }),
  body: AnswerBody,
  answers: { 200: envelope('The question with its answer', AnsweredQuestion) },
  errors: [
    'already_finished',
    'question_answered',
    'question_closed',
    'contradictory_examples',
    'example_too_large',
    'invalid_encoding',
  ],
}).handle(async ({ op, services, params, body }) => {
  const { question: number, answer } = body
  const given = givenAnswer(answer)
  if (given.state === 'answered')
    await checkOutput(op, services.limits, { jobId: params.id, number, output: given.output })
  const wake = (): void => services.workflows.changedSoon(params.id)
  const question = await answerQuestion(op, { jobId: params.id, number, answer: given, wake })
  return { status: 200, body: { question: presentQuestion(question) } }
})

function givenAnswer(answer: z.output<typeof AnswerBody>['answer']): GivenAnswer {
  if (answer === 'skip') return { state: 'skipped' }
  if (answer === 'invalid_input') return { state: 'invalid_input' }
  return { state: 'answered', output: answer.output }
}

/**
 * Checks an output as the output of an example. Throws `contradictory_examples` when an example gives the same input
 * another output, and `validation_failed` when none has one of this type, both under the number of rows from which the
 * majority decides.
 */
async function checkOutput(
  op: Operation,
  limits: Limits,
  { jobId, number, output }: { readonly jobId: string; readonly number: number; readonly output: Json },
): Promise<void> {
  const bounds = inlineBounds(limits)
  checkJson(output, 'answer.output', bounds.jsonDepth)
  const job = await findJob(op, jobId)
  const question = (await listQuestions(op, jobId)).find((one) => one.number === number)
  if (question === undefined) throw KERNEL_ERRORS.not_found(`the job has no question ${number}`)
  checkSize([question.input, output], 'answer', bounds)
  const { rowCount, datasetSha256 } = job
  const { tolerances } = readChoices(job.spec)
  if (rowCount >= CONTRADICTIONS_REFUSED_BELOW || datasetSha256 === null || datasetSha256 === undefined) return
  const { rows, unlabelled } = await selectRows(readDataset(readBlob(op.db, datasetSha256)), {
    maxRows: limits.rows_used_per_compile,
    tolerances,
  })
  const equality = withTolerances(inferEquality(rows.map((row) => row.output)), tolerances)
  checkType(output, [...rows, ...question.answers])
  const ids = [...rows, ...unlabelled].map(({ id }) => id)
  checkAnswer(rows, { kind: 'output', input: question.input, output }, answerId(number, ids), equality)
}

/** Throws `validation_failed` for an output of a type that no other output has. */
function checkType(output: Json, others: readonly { readonly output: Json }[]): void {
  const types = new Set(others.map((one) => typeOf(one.output)))
  if (types.has(typeOf(output))) return
  throw invalidField(
    'answer.output',
    `is ${typeOf(output)}; the outputs of the examples are ${[...types].join(' or ')}`,
  )
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'string' ? 'text' : typeof value
}
