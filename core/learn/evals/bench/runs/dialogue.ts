import type { z } from 'zod'
import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { MtBenchQuestion } from '../packs/questions.ts'
import { pythonText } from '../../prompts/python/text.ts'
import type { EvalRequest, PreparedRow } from '../../prompts/prepared.ts'

/** Returns a question of MT-Bench as a row: it is asked turn by turn, so its requests hold the turns alone. */
export function dialogueRow(doc: JsonObject, docId: number): PreparedRow {
  const { category, turns } = MtBenchQuestion.parse(doc)
  return {
    task: 'mtbench',
    docId,
    doc,
    requests: turns.map((turn) => ({ type: 'generate_until', context: turn, input: turn })),
    target: category,
    choices: null,
    slice: category,
    cluster: null,
  }
}

/** Returns the turns of the user, with right answers to them where the pack has some. */
export function dialogueTurns(doc: JsonObject): Pick<z.output<typeof MtBenchQuestion>, 'turns' | 'reference'> {
  return MtBenchQuestion.parse(doc)
}

/** Returns the request of a turn: it shows the turns before it with their answers. */
export function turnRequest(turns: readonly string[], answers: readonly string[]): EvalRequest {
  const context = turns
    .slice(0, answers.length + 1)
    .map(
      (turn, place) =>
        `### User:\n${turn}\n\n### Assistant:\n${answers[place] === undefined ? '' : `${answers[place]}\n\n`}`,
    )
    .join('')
  return { type: 'generate_until', context, input: answers.length === 0 ? (turns[0] ?? '') : context }
}

/** Returns the request of the next turn as a conversation, which a provider's model is asked. */
export function conversationRequest(turns: readonly string[], answers: readonly string[]): EvalRequest {
  const input = turns.slice(0, answers.length + 1).flatMap((turn, place): Json[] => {
    const answer = answers[place]
    const said = { role: 'user', content: turn }
    return answer === undefined ? [said] : [said, { role: 'assistant', content: answer }]
  })
  return { type: 'generate_until', context: pythonText(input), input }
}
