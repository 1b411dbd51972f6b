import { isFinal } from '../../../core/compile/rows/task.ts'
import type { QuestionView } from '../../../core/compile/wire/jobs/questions.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import type { AskedQuestion } from '../../../db/compile/progress/questions/questions.ts'

/** The questions of a job, and `asking` while one is open. A question that the end of its job left open has expired. */
export function presentQuestions(
  questions: readonly AskedQuestion[],
  job: Pick<CompileJob, 'status'>,
): { readonly asking?: true; readonly questions: QuestionView[] } {
  const views = questions.map((one) => {
    const view = presentQuestion(one)
    return view.state === 'open' && isFinal(job.status) ? { ...view, state: 'expired' as const } : view
  })
  return { ...(views.some(({ state }) => state === 'open') && { asking: true }), questions: views }
}

/** One question, field by field. */
export function presentQuestion(question: AskedQuestion): QuestionView {
  return {
    question: question.number,
    state: question.state,
    input: question.input,
    reason: question.reason,
    answers: question.answers.map(({ output, share }) => ({ output, share })),
    unanswered: question.unanswered,
    ...(question.given !== null && { output: question.given.output }),
    asked_at: question.askedAt.toISOString(),
    answer_by: question.answerBy.toISOString(),
    ...(question.answeredAt !== null && { answered_at: question.answeredAt.toISOString() }),
  }
}
