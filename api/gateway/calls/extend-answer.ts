import type { JsonObject } from '../../../core/kernel/json/json.ts'

/** Adds members to an answer, behind its own. An answer that is no object stays as it is. */
export function extendAnswer(bytes: string, members: JsonObject): string {
  const added = JSON.stringify(members)
  const end = bytes.lastIndexOf('}')
  return added === '{}' || end === -1 ? bytes : `${bytes.slice(0, end)},${added.slice(1)}`
}
