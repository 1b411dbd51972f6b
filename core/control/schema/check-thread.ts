import { createContext, Script } from 'node:vm'
import type { Json, JsonObject } from '../../json.ts'
import { checkSchema, unusable, type SchemaVerdict } from './check-schema.ts'

/** A schema, and what is held against it. */
export interface SchemaTask {
  readonly schema: JsonObject
  readonly value: Json
}

/** Enough for any schema that was written to describe data; milliseconds. */
const LIMIT_MS = 500

const call = new Script('run()')

/**
 * The entry of the thread that checks schemas. `node:vm` is here for its clock alone: it ends what runs too long and
 * leaves the thread as it was.
 */
export function checkInTime({ schema, value }: SchemaTask): SchemaVerdict {
  let verdict = unusable(`takes longer than ${LIMIT_MS} ms to check`)
  const run = (): void => {
    verdict = checkSchema(schema, value)
  }
  try {
    call.runInContext(createContext({ run }), { timeout: LIMIT_MS })
  } catch (error) {
    if (!isTimeout(error)) throw error
  }
  return verdict
}

/** The error comes from the other context, so it is no instance of this one's `Error`. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
