import { isJsonObject, type JsonObject, type Json } from '../../../../kernel/json/json.ts'

/** Members whose names are the caller's own: schemas, arguments and results of tools. */
const OF_THE_CALLER: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
])

/** A body with its names in the spelling that is read: Google also takes `system_instruction` for `systemInstruction`. */
export function camelNames(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([given, value]) => {
      const name = given.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())
      return [name, OF_THE_CALLER.has(name) ? value : camelValue(value)]
    }),
  )
}

function camelValue(value: Json): Json {
  if (Array.isArray(value)) return value.map((entry: Json) => camelValue(entry))
  return isJsonObject(value) ? camelNames(value) : value
}
