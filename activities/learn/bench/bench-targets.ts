import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { dialogueTurns, turnRequest } from '../../../core/learn/evals/bench/runs/dialogue.ts'
import type { EvalTarget } from '../../../core/learn/evals/targets/eval-target.ts'
import type { ScoringThread } from '../../../core/learn/evals/thread/scoring-threads.ts'

/** Returns the target that is asked a dialogue turn by turn: each turn shows those before it with their answers. */
export function dialogueTarget(target: EvalTarget): EvalTarget {
  return {
    async answer(task, row, signal) {
      const { turns } = dialogueTurns(row.doc)
      const texts: string[] = []
      let cutTokens = 0
      while (texts.length < turns.length) {
        const answer = await target.answer(
          { ...task, repeats: 1 },
          { ...row, requests: [turnRequest(turns, texts)] },
          signal,
        )
        if (answer.responses.type !== 'texts') throw LEARN_ERRORS.evaluation_failed('the target gives no texts')
        texts.push(answer.responses.texts[0] ?? '')
        cutTokens += answer.cutTokens
      }
      return { responses: { type: 'texts', texts }, cutTokens }
    },
  }
}

/** Returns the target that is the artifact which the thread of an evaluation has opened. */
export function threadTarget(thread: ScoringThread): EvalTarget {
  return {
    answer: async (_, row) => await thread.answer(row),
  }
}
