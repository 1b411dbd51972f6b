import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { storable } from '../../kernel/json/storable.ts'
import type { ModelAnswer } from '../protocol/exchange/answer.ts'

/** The texts of a request, in any dialect. */
export interface RequestTexts {
  /** Every turn as `role: text`, the instructions first, parted by blank lines. */
  readonly prompt: string
  readonly system: string
  /** The newest turn of the user; empty without one. */
  readonly lastUser: string
}

/** Members that hold the turns of a conversation. */
const TURNS = ['messages', 'contents', 'content', 'requests', 'input'] as const
/** Members that hold instructions. */
const INSTRUCTIONS = ['system', 'systemInstruction', 'system_instruction', 'instructions'] as const
const SYSTEM_ROLES: ReadonlySet<Json | undefined> = new Set(['system', 'developer'])

/** A count of tokens in Google's form may hold a whole request. */
const WHOLE = ['generateContentRequest', 'generate_content_request'] as const

/** Reads the texts of a body. Images, sounds and files are left out. Never throws: what has another form has no text. */
export function requestTexts(given: JsonObject): RequestTexts {
  const whole = WHOLE.map((member) => given[member]).find((member) => member !== undefined)
  const body = whole !== undefined && isJsonObject(whole) ? { ...given, ...whole } : given
  const instructions = INSTRUCTIONS.map((member) => textIn(body[member])).filter((text) => text !== '')
  const turns: { readonly role: string; readonly text: string }[] = []
  for (const member of TURNS) {
    const value = body[member]
    for (const turn of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
      const text = textIn(turn)
      if (text === '') continue
      const role = isJsonObject(turn) && typeof turn['role'] === 'string' ? turn['role'] : ''
      if (SYSTEM_ROLES.has(role)) instructions.push(text)
      else turns.push({ role, text })
    }
  }
  const plain = typeof body['prompt'] === 'string' ? [body['prompt']] : []
  const spoken = turns.map(({ role, text }) => (role === '' ? text : `${role}: ${text}`))
  return {
    prompt: storable([...instructions.map((text) => `system: ${text}`), ...spoken, ...plain].join('\n\n')),
    system: storable(instructions.join('\n')),
    lastUser: storable(turns.findLast(({ role }) => role === 'user' || role === '')?.text ?? plain[0] ?? ''),
  }
}

/** The texts of an answer's first choice; calls of tools as `name(arguments)`. */
export function answerText(answer: ModelAnswer | null): string {
  const parts = answer?.choices[0]?.parts ?? []
  const texts = parts.flatMap((part) => {
    if (part.kind === 'text') return [part.text]
    return part.kind === 'tool_call' ? [`${part.name}(${part.arguments})`] : []
  })
  return storable(texts.join('\n'))
}

/** Members of a part that hold text, and those that hold further parts. */
const TEXT_MEMBERS = ['text', 'thinking', 'refusal', 'arguments'] as const
const PART_MEMBERS = ['content', 'parts', 'output', 'tool_calls', 'function', 'summary'] as const
/** Levels of parts: a result of a tool in a turn has three. */
const MOST_LEVELS = 6

function textIn(value: Json | undefined, level = 0): string {
  if (typeof value === 'string') return value
  if (level > MOST_LEVELS || value === undefined || value === null) return ''
  if (Array.isArray(value)) return joined((value as readonly Json[]).map((each) => textIn(each, level + 1)))
  if (!isJsonObject(value)) return ''
  const texts = TEXT_MEMBERS.map((member) => value[member]).filter((text) => typeof text === 'string')
  return joined([...texts, ...PART_MEMBERS.map((member) => textIn(value[member], level + 1))])
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n')
}
