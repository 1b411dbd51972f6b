import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'

/** A schema with types in lower case: Google's own form writes `STRING`. */
export function lowerTypes(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((entry: Json) => lowerTypes(entry))
  if (!isJsonObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'type' && typeof value === 'string' ? value.toLowerCase() : lowerTypes(value),
    ]),
  )
}

/** True for a schema that names itself: Google does not take it. */
export function refersToItself(schema: Json): boolean {
  return JSON.stringify(schema).includes('"$ref":')
}
