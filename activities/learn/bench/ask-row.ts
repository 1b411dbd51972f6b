import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { dialogueTurns, turnRequest } from '../../../core/learn/bench/runs/dialogue.ts'
import type { EvalTarget } from '../../../core/learn/evals/targets/eval-target.ts'

/** Returns the target that is asked a dialogue turn by turn: each turn shows those before it with their answers. */
export function dialogueTarget(target: EvalTarget): EvalTarget {
  return {
    async answer(task, row, signal) {
      const { turns } = dialogueTurns(row.doc)
      const texts: string[] = []
      let cutTokens = 0
      while (texts.length < turns.length) {
        const answer = await target.answer(task, { ...row, requests: [turnRequest(turns, texts)] }, signal)
        if (answer.responses.type !== 'texts') throw LEARN_ERRORS.evaluation_failed('the target gives no texts')
        texts.push(answer.responses.texts[0] ?? '')
        cutTokens += answer.cutTokens
      }
      return { responses: { type: 'texts', texts }, cutTokens }
    },
  }
}
