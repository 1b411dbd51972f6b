import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import type { SentEvent, StreamEvent } from '../../protocol/exchange/stream.ts'
import type { CallerDialectName } from '../../providers/provider.ts'
import type { Placeholders } from './placeholders.ts'
import { restoreJson } from './restore-json.ts'

/** A text that comes in parts, some of whose end may be held back. */
export class HeldText {
  readonly #placeholders: Placeholders
  readonly #isJson: boolean
  #held = ''

  constructor(placeholders: Placeholders, isJson: boolean) {
    this.#placeholders = placeholders
    this.#isJson = isJson
  }

  push(part: string): string {
    const text = this.#held + part
    const held = this.#placeholders.heldBack(text)
    this.#held = text.slice(text.length - held)
    return this.#placeholders.restore(text.slice(0, text.length - held), this.#isJson)
  }

  end(): string {
    const text = this.#placeholders.restore(this.#held, this.#isJson)
    this.#held = ''
    return text
  }
}

/** Puts the values back into the events of a stream in no dialect; only the possible beginning of a placeholder waits. */
export function restoreEvents(placeholders: Placeholders): (event: StreamEvent) => readonly StreamEvent[] {
  if (placeholders.size === 0) return (event) => [event]
  const open = new Map<string, { readonly text: HeldText; last: StreamEvent }>()
  return (event) => {
    if (event.kind !== 'text' && event.kind !== 'thinking' && event.kind !== 'arguments') {
      return event.kind === 'usage' || event.kind === 'start' ? [event] : [...flush(open), event]
    }
    const key = event.kind === 'arguments' ? `arguments ${event.key}` : event.kind
    const before = event.kind === 'arguments' || open.has(key) ? [] : flush(open)
    const held = open.get(key) ?? { text: new HeldText(placeholders, event.kind === 'arguments'), last: event }
    held.last = event
    open.set(key, held)
    const text = held.text.push(event.text)
    return text === '' ? before : [...before, { ...event, text }]
  }
}

function flush(open: Map<string, { readonly text: HeldText; last: StreamEvent }>): readonly StreamEvent[] {
  const rest = [...open.values()].flatMap(({ text, last }) => {
    const end = text.end()
    return end === '' || !('text' in last) ? [] : [{ ...last, text: end }]
  })
  open.clear()
  return rest
}

/** A text of an event that continues in later ones: which, and how to write it. */
interface Part {
  readonly key: string
  readonly isJson: boolean
  readonly text: string
  /** True when the event also ends it. */
  readonly isLast: boolean
  /** The event with another text here. */
  readonly write: (event: JsonObject, text: string) => JsonObject
}

/**
 * Puts the values back into the events of a provider that speaks the caller's dialect, without changing anything else of
 * them. What is held back of a text goes with its next part, or in an event of its own before the next other event.
 */
export function restoreSent(
  dialect: CallerDialectName,
  placeholders: Placeholders,
): (sent: SentEvent) => readonly SentEvent[] {
  if (placeholders.size === 0) return (sent) => [sent]
  const open = new Map<string, { readonly text: HeldText; sent: SentEvent; blank: JsonObject; part: Part }>()
  const rest = (): readonly SentEvent[] => {
    const events = [...open.values()].flatMap(({ text, sent, blank, part }) => {
      const end = text.end()
      return end === '' ? [] : [{ ...sent, data: JSON.stringify(part.write(onlyPart(blank), end)) }]
    })
    open.clear()
    return events
  }
  return (sent) => {
    const event = parsed(sent.data)
    if (event === null) return [...rest(), sent]
    if (event['type'] === 'ping') return [sent]
    const parts = PARTS[dialect](event)
    if (parts.length === 0) {
      const whole = sent.data.includes('VAR_') ? restoreJson(event, placeholders) : event
      return [...rest(), whole === event ? sent : { ...sent, data: JSON.stringify(whole) }]
    }
    const blank = parts.reduce((emptied, part) => part.write(emptied, ''), event)
    let written = blank
    for (const part of parts) {
      const text = open.get(part.key)?.text ?? new HeldText(placeholders, part.isJson)
      open.set(part.key, { text, sent, blank, part })
      written = part.write(written, text.push(part.text) + (part.isLast ? text.end() : ''))
    }
    return [{ ...sent, data: JSON.stringify(restoreRest(written, placeholders)) }]
  }
}

/** Restores the parts that are whole in an event that also has partial ones, such as a call of a tool beside a text. */
function restoreRest(event: JsonObject, placeholders: Placeholders): Json {
  return JSON.stringify(event).includes('VAR_') ? restoreJson(event, placeholders) : event
}

function parsed(data: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(data)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/** An event that repeats another must not repeat its counts or its end. */
function onlyPart({ usage: _counts, usageMetadata: _google, ...event }: JsonObject): JsonObject {
  return event
}

type PartsOf = (event: JsonObject) => readonly Part[]

const PARTS: Readonly<Record<CallerDialectName, PartsOf>> = {
  'chat-completions': (event) =>
    listOf(event['choices']).flatMap((choice, i) => {
      const delta = objectOf(choice['delta'])
      const at = JSON.stringify(choice['index'] ?? i)
      const isLast = typeof choice['finish_reason'] === 'string'
      const texts = ['content', 'reasoning_content', 'reasoning', 'refusal'].flatMap((name) =>
        partAt(delta[name], { key: `${at} ${name}`, isJson: false, isLast }, ['choices', i, 'delta', name]),
      )
      const calls = listOf(delta['tool_calls']).flatMap((call, j) =>
        partAt(
          objectOf(call['function'])['arguments'],
          { key: `${at} call ${JSON.stringify(call['index'] ?? j)}`, isJson: true, isLast },
          ['choices', i, 'delta', 'tool_calls', j, 'function', 'arguments'],
        ),
      )
      return [...texts, ...calls]
    }),
  messages: (event) => {
    if (event['type'] !== 'content_block_delta') return []
    const delta = objectOf(event['delta'])
    return ['text', 'thinking', 'partial_json'].flatMap((name) =>
      partAt(
        delta[name],
        { key: `${JSON.stringify(event['index'])} ${name}`, isJson: name === 'partial_json', isLast: false },
        ['delta', name],
      ),
    )
  },
  responses: (event) => {
    const type = event['type']
    if (typeof type !== 'string' || !type.endsWith('.delta')) return []
    const key = ['item_id', 'output_index', 'content_index', 'summary_index']
      .map((name) => JSON.stringify(event[name] ?? null))
      .join(' ')
    return partAt(event['delta'], { key: `${type} ${key}`, isJson: type.includes('arguments'), isLast: false }, [
      'delta',
    ])
  },
  'generate-content': (event) =>
    listOf(event['candidates']).flatMap((candidate, i) => {
      const isLast = typeof candidate['finishReason'] === 'string'
      return listOf(objectOf(candidate['content'])['parts']).flatMap((part, j) =>
        partAt(
          part['text'],
          {
            key: `${JSON.stringify(candidate['index'] ?? i)} ${JSON.stringify(part['thought'] ?? false)}`,
            isJson: false,
            isLast,
          },
          ['candidates', i, 'content', 'parts', j, 'text'],
        ),
      )
    }),
}

function partAt(
  text: Json | undefined,
  facts: Pick<Part, 'key' | 'isJson' | 'isLast'>,
  path: readonly (string | number)[],
): readonly Part[] {
  if (typeof text !== 'string') return []
  const write = (event: JsonObject, to: string): JsonObject => objectOf(setAt(event, path, to))
  return [{ ...facts, text, write }]
}

function setAt(value: Json, [name, ...rest]: readonly (string | number)[], to: string): Json {
  if (name === undefined) return to
  if (Array.isArray(value)) return value.map((entry: Json, i) => (i === name ? setAt(entry, rest, to) : entry))
  return isJsonObject(value) ? { ...value, [name]: setAt(value[name] ?? null, rest, to) } : value
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map((entry: Json) => objectOf(entry)) : []
}
