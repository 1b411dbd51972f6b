import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { RE2JS } from 're2js'
import type { Json, JsonObject } from '../json.ts'

/** What a JSON Schema says of a value. */
export type SchemaCheck = (value: Json) => readonly string[]

const MOST_CHARS = 64 * 1024
const LISTED = 20

/** Patterns of strangers run in time linear in the text: re2 has no backtracking. */
const linearRegExp = Object.assign(
  (pattern: string) => {
    const engine = RE2JS.compile(pattern)
    return { test: (text: string) => engine.matcher(text).find() }
  },
  { code: 'linearRegExp' },
)

/**
 * Compiles a JSON Schema that a customer gave. Answers the check, which lists what is wrong with a value, or the reason
 * why the schema is none. Nothing is fetched: a reference must lead to a place in the schema itself.
 */
export function compileSchema(schema: JsonObject): SchemaCheck | { readonly problem: string } {
  if (JSON.stringify(schema).length > MOST_CHARS) return { problem: `is longer than ${MOST_CHARS} characters` }
  // Not inlined, so that references to references cannot grow the code without end.
  const ajv = new Ajv({ strict: false, allErrors: false, inlineRefs: false, code: { regExp: linearRegExp } })
  addFormats.default(ajv, { mode: 'fast' })
  let validate: ValidateFunction
  try {
    validate = ajv.compile(schema)
  } catch (error) {
    return { problem: `is no JSON Schema: ${error instanceof Error ? error.message : 'it does not compile'}` }
  }
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).slice(0, LISTED).map((error) => `${error.instancePath || '/'} ${error.message ?? ''}`)
}
