import type { JsonObject } from '../../../kernel/json/json.ts'

/** A text. */
export interface TextPart {
  readonly kind: 'text'
  readonly text: string
}

/** An image, as bytes or by its address. */
export interface ImagePart {
  readonly kind: 'image'
  readonly image:
    | { readonly kind: 'data'; readonly mediaType: string; readonly base64: string }
    | { readonly kind: 'url'; readonly url: string }
}

/** A document as bytes. */
export interface FilePart {
  readonly kind: 'file'
  readonly mediaType: typeof PDF
  readonly base64: string
  readonly name?: string | undefined
  /** The caller's path of it. */
  readonly field: string
}

/** The documents that models of all providers read. */
export const PDF = 'application/pdf'

/** A sound as bytes. */
export interface AudioPart {
  readonly kind: 'audio'
  readonly mediaType: string
  readonly base64: string
  /** The caller's path of it. */
  readonly field: string
}

/** Reasoning of a model; the signature is the provider's own and lets it continue. */
export interface ThinkingPart {
  readonly kind: 'thinking'
  readonly text: string
  readonly signature?: string | undefined
}

/** Reasoning that only its provider can read. */
export interface SealedThinkingPart {
  readonly kind: 'sealed_thinking'
  readonly data: string
}

/** A call that a model wants made. */
export interface ToolCallPart {
  readonly kind: 'tool_call'
  readonly id: string
  readonly name: string
  /** JSON text, as the model wrote it. */
  readonly arguments: string
  /** The provider's own signature of the reasoning before the call. */
  readonly signature?: string | undefined
}

/** The result of such a call. */
export interface ToolResultPart {
  readonly kind: 'tool_result'
  readonly callId: string
  readonly content: readonly (TextPart | ImagePart)[]
  readonly isError: boolean
}

/** A piece that a side says itself. */
export type SaidPart = TextPart | ImagePart | FilePart | AudioPart

/** A piece of a turn. */
export type Part = SaidPart | ThinkingPart | SealedThinkingPart | ToolCallPart | ToolResultPart

/** One side's consecutive parts of a conversation. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly Part[]
}

/** A function that the model may ask to have called. */
export interface Tool {
  readonly name: string
  readonly description?: string | undefined
  /** JSON Schema of its arguments. */
  readonly schema: JsonObject
  readonly isStrict?: boolean | undefined
}

/** Whether the model calls tools: as it likes, never, at least one, or this one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** Form of the answer's text. */
export type OutputFormat =
  | { readonly kind: 'json' }
  | {
      readonly kind: 'schema'
      readonly name: string
      readonly schema: JsonObject
      readonly isStrict?: boolean | undefined
    }

/** Efforts of reasoning that have a name. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const
/** Amount of reasoning: an effort, or at most so many tokens (0: none). */
export type Reasoning =
  | {
      readonly kind: 'effort'
      readonly effort: (typeof EFFORTS)[number]
      /** The caller's name of an effort that is meant for models that reason: others get none. */
      readonly onlyIfReasoning?: string
    }
  | { readonly kind: 'budget'; readonly tokens: number }

/** A request to a model, in no dialect. */
export interface ModelRequest {
  readonly model: string
  /** Instructions, in order. */
  readonly system: readonly string[]
  /** The roles alternate. */
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice?: ToolChoice | undefined
  readonly allowsParallelCalls?: boolean | undefined
  /** Output tokens at most, reasoning included. */
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  /** Written where a dialect has it. */
  readonly seed?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly stop: readonly string[]
  readonly format?: OutputFormat | undefined
  readonly reasoning?: Reasoning | undefined
  /** Number of samples. */
  readonly n: number
  readonly isStreamed: boolean
  /** Paths of the members of the caller's body that the request does not hold; empty when absent. */
  readonly leftOut?: readonly string[]
  /** Those of them that change the answer and have no counterpart: nothing is translated with one of them. */
  readonly refused?: readonly string[]
}

/** Joins consecutive parts of one role into turns; empty turns are dropped. */
export function joinTurns(turns: readonly Turn[]): readonly Turn[] {
  const joined: { role: Turn['role']; parts: Part[] }[] = []
  for (const { role, parts } of turns) {
    const last = joined.at(-1)
    if (parts.length === 0) continue
    // Not spread: arguments have their place on the stack, and parts may be many.
    if (last?.role === role) for (const part of parts) last.parts.push(part)
    else joined.push({ role, parts: [...parts] })
  }
  return joined
}

/** The names of tool calls by their id. */
export function toolNames(turns: readonly Turn[]): ReadonlyMap<string, string> {
  return new Map(
    turns.flatMap(({ parts }) =>
      parts.flatMap((part): (readonly [string, string])[] => (part.kind === 'tool_call' ? [[part.id, part.name]] : [])),
    ),
  )
}

/** The texts among the parts, joined. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
}
