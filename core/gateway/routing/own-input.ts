import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import type { CallerDialect } from '../protocol/dialects/dialect.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { OwnQuestion } from '../ports.ts'

/** Members that are not read and ask for more than a text; the others tune a model, which an artifact does without. */
const ASKS_FOR_MORE =
  /^(tools\[|functions$|function_call$|mcp_servers$|container$|plugins$|web_search_options$|audio$|guided_|structured_outputs$)|logprobs$|(speech|image)Config$/i

/** A question, and the paths of the members of the call that the artifact does not get. */
interface ReadQuestion extends OwnQuestion {
  readonly leftOut: readonly string[]
}

/**
 * Returns what an own artifact would be asked: the text of a request with a single turn, as JSON where it is an object, and the
 * instructions beside it. Null for a request that no artifact answers: with tools, images, an earlier turn, several samples or
 * members that ask for more than a text.
 */
export function ownQuestion(dialect: CallerDialect, body: JsonObject): ReadQuestion | null {
  const request = readable(dialect, body)
  if (request === null || request.tools.length > 0 || request.n > 1) return null
  const leftOut = [...(request.leftOut ?? []), ...(request.refused ?? [])]
  if (leftOut.some((path) => ASKS_FOR_MORE.test(path))) return null
  const [turn, ...more] = request.turns
  if (turn?.role !== 'user' || more.length > 0) return null
  const texts: string[] = []
  for (const part of turn.parts) {
    if (part.kind !== 'text') return null
    texts.push(part.text)
  }
  const text = texts.join('')
  return text === '' ? null : { input: inputOf(text), instructions: request.system.join('\n'), leftOut }
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
