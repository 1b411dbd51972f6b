import type { IncomingHttpHeaders } from 'node:http'
import type { ScriptedAnswer, ScriptedCall } from './scripted-model.ts'

/** A request as it came. */
export interface ProtocolRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** Thrown by a protocol for a request that its provider refuses. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string | undefined
  /** The field that is wrong. */
  readonly param: string | undefined

  constructor(status: number, message: string, code?: string, param?: string) {
    super(message)
    this.status = status
    this.code = code
    this.param = param
  }
}

/** The answers of a model that speaks. */
export type SpokenAnswer = Extract<ScriptedAnswer, { readonly texts: readonly string[] }>

/** One provider's wire format, from its side. */
export interface Protocol {
  /** Reads a request as strictly as the provider does. Throws `Refusal`. */
  read(request: ProtocolRequest, apiKey: string): Omit<ScriptedCall, 'index' | 'raw'>
  /** The body of a 200. */
  write(call: ScriptedCall, answer: SpokenAnswer): object
  /** The events of a streamed 200, as text. */
  frames(call: ScriptedCall, answer: SpokenAnswer): readonly string[]
  /** An error inside a stream. */
  errorFrame(message: string): string
  writeError(status: number, message: string, code: string | undefined, param?: string): object
  /** Headers that each answer carries. */
  headers(requestId: string): Readonly<Record<string, string>>
}

/** The pieces of a streamed text: its words with the spaces after them. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? []
}

/** A server-sent event. */
export function frame(data: object | string, event?: string): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** The members that are records. */
export function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** A text, or an empty one. */
export function textAt(value: unknown, name: string): string {
  const member = isRecord(value) ? value[name] : undefined
  return typeof member === 'string' ? member : ''
}

/** True for an object that is not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member as a record; an empty one when it is none. */
export function recordAt(value: unknown, name: string): Readonly<Record<string, unknown>> {
  const member = isRecord(value) ? value[name] : undefined
  return isRecord(member) ? member : {}
}

/** A number in a range, or undefined when absent. Throws a 400 `Refusal`. */
export function numberIn(value: unknown, name: string, low: number, high: number): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= low && value <= high) return value
  throw new Refusal(400, `Invalid value for '${name}': must be a number from ${low} to ${high}.`, 'invalid_value', name)
}
