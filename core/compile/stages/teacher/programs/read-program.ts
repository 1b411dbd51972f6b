import { DomainError } from '../../../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import { programJson } from '../../../language/ast.ts'
import { parseProgram } from '../../../language/parse.ts'
import { isLanguage, languageOfJson } from '../../../language/versions.ts'
import { readAnswer } from '../answer-text.ts'
import { fromWire } from './wire-schema.ts'

/** A program that passed the checks of the language, or the faults of the answer. */
export type ReadProgram =
  | { readonly kind: 'program'; readonly recipe: JsonObject }
  | { readonly kind: 'unreadable'; readonly problem: string }
  | { readonly kind: 'invalid'; readonly problem: string }

/** A program in the oldest version that has its operators: a model may name either. */
function inOldestVersion(program: Json): Json {
  if (!isJsonObject(program) || !isLanguage(program.language) || program.body === undefined) return program
  return { ...program, language: languageOfJson(program.body) }
}

/** Reads an answer as a program. A bare expression becomes the body of one. Never throws because of a model's text. */
export function readProgram(text: string): ReadProgram {
  const answer = readAnswer(text)
  if (!answer.ok) return { kind: 'unreadable', problem: answer.problem }
  const { value } = answer
  const whole =
    isJsonObject(value) && typeof value.op === 'string' ? { language: languageOfJson(value), body: value } : value
  try {
    return { kind: 'program', recipe: programJson(parseProgram(inOldestVersion(fromWire(whole)))) }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { kind: 'invalid', problem: error.message }
  }
}
