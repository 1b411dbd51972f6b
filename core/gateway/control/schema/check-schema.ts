import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { RE2JS } from 're2js'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'

/** Result of checking a value against a JSON Schema. */
export interface SchemaVerdict {
  /** Reason why the schema is invalid or cannot be used here; null for a usable one. */
  readonly problem: string | null
  /** Mismatches of the value, with their paths. */
  readonly mismatches: readonly string[]
}

const MOST_CHARS = 64 * 1024
const LISTED = 20

/** Patterns that callers give run in time linear in the text: re2 has no backtracking. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const engine = RE2JS.compile(pattern)
    return { test: (text: string) => engine.matcher(text).find() }
  },
  { code: 'linearRegExp' },
)

/**
 * Compiles a customer's JSON Schema and checks a value against it. No schema is fetched: a reference must point into
 * the schema itself. A schema can be written so that this never ends, see `schema-checks.ts`.
 */
export function checkSchema(schema: JsonObject, value: Json): SchemaVerdict {
  if (JSON.stringify(schema).length > MOST_CHARS) return unusable(`is longer than ${MOST_CHARS} characters`)
  // Its check would return a promise whose rejection is never handled.
  if (schema['$async'] !== undefined) return unusable('must not be asynchronous')
  // Not inlined, so that references to references cannot grow the code without end.
  const ajv = new Ajv({ strict: false, allErrors: false, inlineRefs: false, code: { regExp: linearRegExp } })
  addFormats.default(ajv, { mode: 'fast' })
  let validate: ValidateFunction
  try {
    validate = ajv.compile(schema)
  } catch (error) {
    return unusable(`is not a JSON Schema: ${error instanceof Error ? error.message : 'it does not compile'}`)
  }
  try {
    if (validate(value)) return { problem: null, mismatches: [] }
  } catch (error) {
    if (error instanceof RangeError) return unusable('refers to itself without an end')
    throw error
  }
  const mismatches = (validate.errors ?? [])
    .slice(0, LISTED)
    .map((error) => `${error.instancePath || '/'} ${error.message ?? ''}`)
  return { problem: null, mismatches }
}

/** The verdict on a schema that cannot be used. */
export function unusable(problem: string): SchemaVerdict {
  return { problem, mismatches: [] }
}
