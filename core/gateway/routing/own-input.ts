import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import type { CallerDialect } from '../protocol/dialects/dialect.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { OwnQuestion } from '../ports.ts'

/**
 * Returns what an own artifact would be asked: the text of a request with a single turn, as JSON where it is an object, and the
 * instructions beside it. Null for a request that no artifact answers: with tools, images, an earlier turn or several samples.
 */
export function ownQuestion(dialect: CallerDialect, body: JsonObject): OwnQuestion | null {
  const request = readable(dialect, body)
  if (request === null || request.tools.length > 0 || request.n > 1) return null
  const [turn, ...more] = request.turns
  if (turn?.role !== 'user' || more.length > 0) return null
  const texts: string[] = []
  for (const part of turn.parts) {
    if (part.kind !== 'text') return null
    texts.push(part.text)
  }
  const text = texts.join('')
  return text === '' ? null : { input: inputOf(text), instructions: request.system.join('\n') }
}

/** Returns a text as the input of an artifact: as JSON where it is an object. */
export function inputOf(text: string): Json {
  return objectIn(text) ?? text
}

/** Null for a request with a field that has no counterpart: it asks for more than an artifact gives. */
function readable(dialect: CallerDialect, body: JsonObject) {
  try {
    return dialect.readRequest(body)
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}

function objectIn(text: string): JsonObject | null {
  if (!text.startsWith('{')) return null
  try {
    const value: Json = JSON.parse(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}
