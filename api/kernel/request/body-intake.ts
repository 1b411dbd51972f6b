import type { DomainError } from '../../../core/kernel/errors.ts'
import type { Holding } from '../../../core/kernel/threads/fair/held-bytes.ts'
import type { Json } from '../../../core/kernel/json/json.ts'

/** Bounds on a JSON text. */
export interface JsonBounds {
  readonly maxDepth: number
  /** Members, entries and containers. */
  readonly maxParts: number
}

/** Bounds for reading a JSON body. */
export interface BodyBounds extends JsonBounds {
  /** Members of the body that may be long lists: in a large body they stay bytes (`HeldRows`), with separate bounds. */
  readonly longLists: readonly string[]
  /** Parts of the rest. */
  readonly restParts: number
}

/**
 * Reads large request bodies off the event loop, in turns of their callers: a port of the binding. `caller` is the tenant,
 * or the address for public routes and anonymous workspaces.
 */
export interface BodyIntake {
  /** Parses a large body, whose memory may go over to the thread. Throws `invalid_encoding` and what `parseJsonText` throws. */
  readBody(chunks: readonly Uint8Array[], bounds: BodyBounds, caller: string): Promise<Json>
  /** Waits for the caller's turn to hold up the event loop for some milliseconds. */
  turn(caller: string): Promise<void>
  /** Holds memory for a call; with `giveWay` the call is ended with `busy`. */
  hold(caller: string, giveWay: (error: DomainError) => void): Holding
}
