import type { z } from 'zod'
import type { HumanEvalTask, MmluQuestion, MtBenchQuestion } from './questions.ts'

/** A question of any benchmark. */
type Question = MmluQuestion | z.output<typeof HumanEvalTask> | z.output<typeof MtBenchQuestion>

/** Returns the text of a question by which it is found in the rows of a dataset. */
export function questionText(question: Question): string {
  if ('turns' in question) return question.turns.join('\n')
  return 'prompt' in question ? question.prompt : [question.question, ...question.choices].join('\n')
}
