import type { RowContent } from '../../../core/compile/artifacts/diagnosis/judged-row.ts'
import type { EvaluatedRows } from '../../../core/compile/ports.ts'
import { answerOf } from '../../../core/learn/evals/evaluation.ts'
import type { Operation } from '../../kernel/operation.ts'
import { eachEvaluationRow } from './evaluation-rows.ts'
import { resultRowId } from '../../../core/learn/evals/scoring/result-row-id.ts'

/** Fills the port of compiles: the rows of evaluations with what was expected and answered. */
export const evaluatedRows: EvaluatedRows<Operation> = {
  async contents(op, evaluationId) {
    const contents: Record<string, RowContent> = {}
    for await (const { task, sample, outcome } of eachEvaluationRow(op, evaluationId)) {
      const [request] = sample.requests
      if (outcome === null || outcome === undefined || request?.type !== 'generate_until') continue
      contents[resultRowId(task, sample.docId)] = {
        input: request.input,
        expected: sample.target,
        got: answerOf(outcome),
      }
    }
    return contents
  },
}
