import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { markOf } from './marks.ts'

/** A value after a redaction map, and the classes that the map applied, sorted. */
export interface Mapped<T extends Json = Json> {
  readonly value: T
  readonly classes: readonly string[]
}

/** Returns true when a text can name a class in a redaction map. */
export function isClassName(text: Json): text is string {
  return typeof text === 'string' && /^[\w-]{1,40}$/.test(text)
}

/**
 * Replaces the members that a map names by their class. A name is a path of member names joined by dots; through a list
 * it applies to every entry. Unknown paths and invalid classes change nothing.
 */
export function applyRedactionMap<T extends Json>(value: T, map: JsonObject): Mapped<T> {
  const classes = new Set<string>()
  let mapped: Json = value
  for (const [path, kind] of Object.entries(map)) {
    if (isClassName(kind)) mapped = replaceAt(mapped, path, kind, classes)
  }
  // Objects stay objects, and lists lists.
  return { value: mapped as T, classes: [...classes].toSorted() }
}

function replaceAt(value: Json, path: string, kind: string, classes: Set<string>): Json {
  if (Array.isArray(value)) return value.map((item: Json) => replaceAt(item, path, kind, classes))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name === path) {
        classes.add(kind)
        return [name, markOf(kind)]
      }
      return [
        name,
        path.startsWith(`${name}.`) ? replaceAt(member, path.slice(name.length + 1), kind, classes) : member,
      ]
    }),
  )
}
