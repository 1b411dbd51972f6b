import type { Json } from './json.ts'

/**
 * True for a value whose texts and names have at most so many characters, its other parts counting one each. It stops where
 * there are more, so that it costs no more than that, however long the value is.
 */
export function fitsIn(value: Json, mostChars: number): boolean {
  let left = mostChars
  const open: Json[] = [value]
  while (left >= 0) {
    const next = open.pop()
    if (next === undefined) return true
    left -= typeof next === 'string' ? next.length : 1
    if (typeof next !== 'object' || next === null) continue
    for (const [name, member] of Object.entries(next)) {
      left -= Array.isArray(next) ? 0 : name.length
      open.push(member)
      // Each member takes one at least.
      if (open.length > left) return false
    }
  }
  return false
}
