/** A part of a text; the end is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

const HEAD = 4

function headAt(text: string, at: number, length: number): number {
  let head = length
  for (let i = 0; i < length; i++) head = (Math.imul(head, 31) + text.charCodeAt(at + i)) | 0
  return head & 0xffff
}

/**
 * Returns the places of several texts in a long one, at most `limit` of each, in one pass over the text. Empty texts have no
 * places.
 */
export function occurrencesOf(
  text: string,
  parts: Iterable<string>,
  limit: number,
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  const byHead = new Map<number, string[]>()
  // One table for each length of a head: short parts have short heads.
  const isHead = Array.from({ length: HEAD + 1 }, () => new Uint8Array(0))
  for (const part of parts) {
    if (part === '' || found.has(part)) continue
    found.set(part, [])
    const length = Math.min(HEAD, part.length)
    if (isHead[length]?.length === 0) isHead[length] = new Uint8Array(0x10000)
    const head = headAt(part, 0, length)
    const table = isHead[length]
    if (table !== undefined) table[head] = 1
    const key = length * 0x10000 + head
    const same = byHead.get(key)
    if (same === undefined) byHead.set(key, [part])
    else same.push(part)
  }
  const lengths = isHead.flatMap((table, length) => (table.length > 0 ? [length] : []))
  for (let at = 0; at < text.length; at++) {
    for (const length of lengths) {
      if (at + length > text.length) continue
      const head = headAt(text, at, length)
      if (isHead[length]?.[head] !== 1) continue
      for (const part of byHead.get(length * 0x10000 + head) ?? []) {
        const places = found.get(part)
        if (places !== undefined && places.length < limit && text.startsWith(part, at)) places.push(at)
      }
    }
  }
  return found
}

/** Returns the places of one text in a long one as parts of it, at most `limit`. */
export function spansOf(text: string, part: string, limit: number): Span[] {
  const spans: Span[] = []
  if (part === '') return spans
  for (let at = text.indexOf(part); at >= 0 && spans.length < limit; at = text.indexOf(part, at + 1))
    spans.push({ start: at, end: at + part.length })
  return spans
}
