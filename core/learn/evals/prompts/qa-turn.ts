import type { Json } from '../../../kernel/json/json.ts'

/** A question and perhaps its answer, as a prompt writes them. */
export interface QaTurn {
  readonly question: string
  /** The options, where the answer is the index of one. */
  readonly choices: readonly string[] | null
  /** Null without an answer. */
  readonly answer: Json
  readonly prefix: string | null
  readonly targetDelimiter: string
  readonly fewshotDelimiter: string
}

/** Returns the text of a turn, as `build_qa_turn` of lm-evaluation-harness 0.4.13 writes it. Throws for an answer that is no text. */
export function qaTurnText(turn: QaTurn): string {
  const { question, choices, answer, prefix, targetDelimiter, fewshotDelimiter } = turn
  const hasPrefix = prefix !== null && prefix !== ''
  if (answer === null || answer === '') {
    if (!hasPrefix) return question
    return question + (needsDelimiter(question, prefix) ? targetDelimiter : '') + prefix
  }
  const text = answerText(answer, choices)
  const before = !hasPrefix || needsDelimiter(question, prefix) ? targetDelimiter : ''
  return question + before + delimited(prefix ?? '', text, ' ') + fewshotDelimiter
}

function answerText(answer: Json, choices: readonly string[] | null): string {
  const given =
    typeof answer === 'number' && choices !== null ? choices[answer] : Array.isArray(answer) ? answer[0] : answer
  if (typeof given === 'string') return given
  throw new Error('the answer of an example is no text')
}

/** Joins two texts, with the delimiter where neither has white space at the seam. */
export function delimited(first: string, second: string, delimiter: string): string {
  if (first === '' || second === '') return first + second
  return first + (needsDelimiter(first, second) ? delimiter : '') + second
}

function needsDelimiter(first: string, second: string): boolean {
  return first !== '' && !/\s$/.test(first) && !/^\s/.test(second)
}
