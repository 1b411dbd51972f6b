import type { ProviderFailure } from '../../providers/provider-error.ts'
import type { GivenIds } from '../dialects/responses/references.ts'
import type { Finish, Usage } from './answer.ts'

/** Content of an error answer. */
export interface WireError {
  readonly failure: ProviderFailure
  readonly message: string
  /** The provider's own word for it. */
  readonly code?: string | undefined
  /** The field that the error is about, by the caller's own name of it. */
  readonly param?: string | undefined
  readonly retryAfterS?: number | undefined
}

/** The place of the sample to which a part belongs; absent for the first, which is the one that is recorded. */
interface OfSample {
  readonly sample?: number
}

/** One event of a streamed answer, in no dialect. */
export type StreamEvent =
  | { readonly kind: 'start'; readonly id: string; readonly model: string }
  | ({ readonly kind: 'text'; readonly text: string } & OfSample)
  | ({ readonly kind: 'thinking'; readonly text: string } & OfSample)
  /** Ends the reasoning before it. */
  | { readonly kind: 'signature'; readonly signature: string }
  | { readonly kind: 'sealed_thinking'; readonly data: string }
  /** A call begins; `key` names it among the calls of the answer. */
  | ({ readonly kind: 'tool_call'; readonly key: number; readonly id: string; readonly name: string } & OfSample)
  | ({ readonly kind: 'arguments'; readonly key: number; readonly text: string } & OfSample)
  /** `ids`: those of an answer that its provider keeps, see `idsIn`. */
  | ({ readonly kind: 'finish'; readonly finish: Finish; readonly ids?: GivenIds | null } & OfSample)
  /** The counts so far; a later one replaces it. */
  | { readonly kind: 'usage'; readonly usage: Usage }
  /** The protocol's own end of the stream. */
  | { readonly kind: 'end' }
  | { readonly kind: 'error'; readonly error: WireError }

/** A server-sent event. */
export interface SentEvent {
  readonly event?: string | undefined
  readonly data: string
}

/** Reads the events of one stream, in order. Throws `ProviderError` `invalid_response` for one that is none. */
export type StreamReader = (sent: SentEvent) => readonly StreamEvent[]

/** Writes one stream in a caller's dialect; each method returns the bytes to send as text, possibly none. */
export interface StreamWriter {
  write(event: StreamEvent): string
  /** The end of a whole answer; `isKept` is true where later calls may name it. */
  end(isKept?: boolean): string
}

/** True for an event that carries a part of the answer: after it no other provider can take over. */
export function isContent({ kind }: StreamEvent): boolean {
  return kind === 'text' || kind === 'thinking' || kind === 'tool_call' || kind === 'arguments'
}

/** The text form of a server-sent event (HTML Living Standard, 9.2). */
export function sentEvent({ event, data }: SentEvent): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return `${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`
}
