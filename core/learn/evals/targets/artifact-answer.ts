import type { GuardedResult } from '../../../compile/runtime/guard.ts'
import { canonicalJson } from '../../../kernel/json/json.ts'
import type { TaskConfig } from '../task/task-config.ts'
import type { RowAnswer } from './eval-target.ts'

/** Returns the answer of an artifact to a row as `/v1/run` gives it: one that its checks withhold is none. */
export function artifactAnswer(
  { repeats }: TaskConfig,
  { output, abstained, confidence }: Pick<GuardedResult, 'output' | 'abstained' | 'confidence'>,
  cutTokens: number,
): RowAnswer {
  const text = abstained ? '' : typeof output === 'string' ? output : canonicalJson(output)
  return {
    responses: { type: 'texts', texts: Array.from({ length: repeats }, () => text) },
    cutTokens,
    silence: abstained ? 'abstained' : null,
    confidence,
  }
}

/** Returns the answer of an artifact whose recipe failed on a row: none. */
export function failedAnswer({ repeats }: TaskConfig): RowAnswer {
  const texts = Array.from({ length: repeats }, () => '')
  return { responses: { type: 'texts', texts }, cutTokens: 0, silence: 'recipe_failed', confidence: null }
}
