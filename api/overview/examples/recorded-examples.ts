import type { Json } from '../../../core/kernel/json/json.ts'
import RECORDED from './recorded.json' with { type: 'json' }

/** A call as a client sent it and its answer, recorded from a running service. */
export interface RecordedExample {
  /** The JSON body; absent for a call without one. */
  readonly body?: Json
  readonly status: number
  /** The JSON answer, or the text of an answer in another media type. */
  readonly answer: Json
}

/**
 * Examples of operations by their ids. `npm run openapi:examples` records them; the suite records them again and compares
 * their shape, and checks each against the schema of its route.
 */
export const RECORDED_EXAMPLES: Readonly<Record<string, RecordedExample>> = RECORDED
