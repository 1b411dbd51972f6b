import { DomainError } from '../../../kernel/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { parseJsonText } from '../../../kernel/json/json-text.ts'
import type { CallerDialectName } from '../../providers/provider.ts'
import { CALLER_TABLE } from '../../protocol/dialects/table.ts'
import type { ModelRequest } from '../../protocol/exchange/request.ts'
import type { SkipReason } from './skip-reasons.ts'

/** Facts of a capture that determine its example. */
export interface LearnedCapture {
  readonly kind: string
  readonly dialect: string | null
  readonly outcome: string
  readonly prompt: string
  readonly response: string
  readonly body: JsonObject | null
  readonly answer: Json
  /** The output that a reviewer wrote in place of the response. */
  readonly fixedOutput: string | null
}

/** Bounds on an example, of the table of limits. */
export interface ExampleBounds {
  /** Bytes of the JSON of input and output together. */
  readonly exampleBytes: number
  readonly jsonDepth: number
}

/** An example of a capture, or why there is none. */
export type CaptureExample = { readonly input: Json; readonly output: Json } | { readonly skipped: SkipReason }

/**
 * The example that an approved capture gives. The input is what an own artifact would be asked: the text of the only turn,
 * without instructions. The output is the reviewer's where there is one, else the text of the answer. Either is JSON where
 * its text is an object. Conversations of several turns, tools and media give none. Placeholders of redacted text stay.
 */
export function captureExample(capture: LearnedCapture, bounds: ExampleBounds): CaptureExample {
  const { kind, outcome, fixedOutput, response, answer } = capture
  if (kind !== 'chat') return { skipped: 'no_conversation' }
  if (fixedOutput === null && outcome !== 'whole') return { skipped: 'interrupted' }
  const asked = questionOf(capture)
  if ('skipped' in asked) return asked
  if (fixedOutput === null && callsTools(answer)) return { skipped: 'tools' }
  const output = fixedOutput ?? response
  if (asked.text.trim() === '') return { skipped: 'no_input' }
  if (output.trim() === '') return { skipped: 'no_output' }
  const example = { input: exampleValue(asked.text, bounds), output: exampleValue(output, bounds) }
  const sizeBytes = Buffer.byteLength(JSON.stringify(example.input)) + Buffer.byteLength(JSON.stringify(example.output))
  return sizeBytes > bounds.exampleBytes ? { skipped: 'too_large' } : example
}

/** Members that name tools in a way that is not read. */
const OTHER_TOOLS = /^(tools\[|functions$|mcp_servers$)/

type Question = { readonly text: string } | { readonly skipped: SkipReason }

function questionOf({ dialect, body, prompt }: LearnedCapture): Question {
  if (body === null) return { skipped: 'unreadable' }
  if (dialect === null) return loggedQuestion(body, prompt)
  const request = readRequest(dialect, body)
  if (request === null) return { skipped: 'unreadable' }
  const { tools, turns, leftOut = [], refused = [] } = request
  const parts = turns.flatMap((turn) => turn.parts)
  const asksForTools = [...leftOut, ...refused].some((path) => OTHER_TOOLS.test(path))
  if (tools.length > 0 || asksForTools || parts.some(({ kind }) => kind === 'tool_call' || kind === 'tool_result')) {
    return { skipped: 'tools' }
  }
  if (parts.some(({ kind }) => kind === 'image' || kind === 'file' || kind === 'audio')) return { skipped: 'media' }
  const [turn, ...more] = turns
  if (turn === undefined) return { skipped: 'no_input' }
  if (more.length > 0 || turn.role !== 'user') return { skipped: 'more_turns' }
  return { text: turn.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('') }
}

/** The question of a call that was made elsewhere and logged: its only message, or its whole prompt. */
function loggedQuestion(body: JsonObject, prompt: string): Question {
  const { messages, tools, tool_choice: choice } = body
  if (choice !== undefined || (Array.isArray(tools) && tools.length > 0)) return { skipped: 'tools' }
  if (!Array.isArray(messages)) return { text: prompt }
  const turns = (messages as readonly Json[]).filter((turn) => !isInstruction(turn))
  if (turns.length > 1) return { skipped: 'more_turns' }
  const [turn] = turns
  if (turn === undefined) return { skipped: 'no_input' }
  const content = isJsonObject(turn) ? turn['content'] : turn
  return typeof content === 'string' ? { text: content } : { skipped: 'media' }
}

function isInstruction(turn: Json): boolean {
  return isJsonObject(turn) && (turn['role'] === 'system' || turn['role'] === 'developer')
}

function readRequest(dialect: string, body: JsonObject): ModelRequest | null {
  if (!isDialect(dialect)) return null
  try {
    return CALLER_TABLE[dialect].readRequest(body)
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}

function isDialect(name: string): name is CallerDialectName {
  return Object.hasOwn(CALLER_TABLE, name)
}

/** True for a stored answer whose first choice calls tools. */
function callsTools(answer: Json): boolean {
  const choices = isJsonObject(answer) ? answer['choices'] : undefined
  const [first] = Array.isArray(choices) ? (choices as readonly Json[]) : []
  const parts = isJsonObject(first) ? first['parts'] : undefined
  return (
    Array.isArray(parts) &&
    (parts as readonly Json[]).some((part) => isJsonObject(part) && part['kind'] === 'tool_call')
  )
}

/** Returns a text of a capture as a value of an example: JSON where the text is an object. */
export function exampleValue(text: string, { jsonDepth, exampleBytes }: ExampleBounds): Json {
  if (!text.startsWith('{') || text.length > exampleBytes) return text
  try {
    const value = parseJsonText(text, jsonDepth)
    return isJsonObject(value) ? value : text
  } catch (error) {
    if (error instanceof DomainError) return text
    throw error
  }
}
