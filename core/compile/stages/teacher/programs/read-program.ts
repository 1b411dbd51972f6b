import { DomainError } from '../../../../kernel/errors.ts'
import { isJsonObject, type JsonObject } from '../../../../kernel/json/json.ts'
import { LANGUAGE, programJson } from '../../../language/ast.ts'
import { parseProgram } from '../../../language/parse.ts'
import { readAnswer } from '../answer-text.ts'
import { fromWire } from './wire-schema.ts'

/** A program that passed the checks of the language, or the faults of the answer. */
export type ReadProgram =
  | { readonly kind: 'program'; readonly recipe: JsonObject }
  | { readonly kind: 'unreadable'; readonly problem: string }
  | { readonly kind: 'invalid'; readonly problem: string }

/** Reads an answer as a program. A bare expression becomes the body of one. Never throws because of a model's text. */
export function readProgram(text: string): ReadProgram {
  const answer = readAnswer(text)
  if (!answer.ok) return { kind: 'unreadable', problem: answer.problem }
  const { value } = answer
  const whole = isJsonObject(value) && typeof value.op === 'string' ? { language: LANGUAGE, body: value } : value
  try {
    return { kind: 'program', recipe: programJson(parseProgram(fromWire(whole))) }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { kind: 'invalid', problem: error.message }
  }
}
