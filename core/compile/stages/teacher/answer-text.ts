import { parseJsonText } from '../../../kernel/json/json-text.ts'
import type { Json } from '../../../kernel/json/json.ts'
import { DomainError } from '../../../kernel/errors.ts'

/** Deepest nesting of an answer: a program's own limit, with its lists. */
const MAX_DEPTH = 200

/** An answer read as JSON, or why it cannot be. */
export type ReadAnswer = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string }

/**
 * Reads the JSON value in the text of an answer: the whole text, else the content of a Markdown fence, else the text
 * from the first `{` to the last `}`. Models asked for JSON by the prompt alone put text around it.
 */
export function readAnswer(text: string): ReadAnswer {
  const fenced = /```(?:json)?[^\S\n]*\n([\s\S]*?)```/.exec(text)?.[1]
  const from = text.indexOf('{')
  const to = text.lastIndexOf('}')
  const pieces = [text, fenced, from >= 0 && to > from ? text.slice(from, to + 1) : undefined]
  let problem = 'the answer is empty'
  for (const piece of pieces) {
    if (piece === undefined || piece.trim() === '') continue
    try {
      return { ok: true, value: parseJsonText(piece.trim(), MAX_DEPTH, 'answer') }
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      problem = error.message
    }
  }
  return { ok: false, problem }
}
