import type { JsonObject } from '../../../core/kernel/json/json.ts'

/**
 * Adds members to an answer, behind its own. The text before the first of them, closed by `}`, is byte by byte the answer
 * that its receipt covers, so a receipt may stand in the answer that it is about.
 */
export function extendAnswer(bytes: string, members: JsonObject): string {
  const added = JSON.stringify(members)
  const end = bytes.lastIndexOf('}')
  return added === '{}' || end === -1 ? bytes : `${bytes.slice(0, end)},${added.slice(1)}`
}
