import { isJsonObject, type Json } from '../../../kernel/json/json.ts'

const MEDIA = ['image', 'audio', 'video', 'pdf'] as const
/** Characters of a category that a row names. */
const CATEGORY_CHARS = 96

/**
 * Returns the category of a row by its input (reference section 8): `multi-turn` for several messages, the kind of its medium,
 * `tool-use`, the category that the input names; else the namespace of the compile, else `general`.
 */
export function categoryOf(input: Json | undefined, namespace: string | null): string {
  const fallback = namespace ?? 'general'
  if (!isJsonObject(input)) return fallback
  const { messages, turn_count: turns, media_kind: kind, tool_calls: calls, category } = input
  if ((Array.isArray(messages) && messages.length > 1) || (typeof turns === 'number' && turns > 1)) return 'multi-turn'
  const medium = MEDIA.find((one) => one === kind)
  if (medium !== undefined) return medium
  if (Array.isArray(calls) && calls.length > 0) return 'tool-use'
  return typeof category === 'string' && category !== '' ? category.slice(0, CATEGORY_CHARS) : fallback
}
