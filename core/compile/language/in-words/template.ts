/** Fills a field of a phrase: its words, or undefined where the node has no such field. */
export type Fill = (field: string, form: string | undefined) => string | undefined

const GROUP = /\[([^\]]*)\]/g
const FIELD = /\{([?!]?)(\w+)(?::(\w+))?\}/g

/**
 * Fills the fields of a phrase. A part in square brackets stays where the node has its fields; `{!field}` in it means that
 * the node has no such field, `{?field}` that it has one which is not written.
 */
export function fillPhrase(phrase: string, fill: Fill): string {
  const kept = phrase.replaceAll(GROUP, (_, part: string) => (holds(part, fill) ? part : ''))
  return kept.replaceAll(FIELD, (_, sign: string, field: string, form?: string) =>
    sign === '' ? (fill(field, form) ?? '') : '',
  )
}

function holds(part: string, fill: Fill): boolean {
  return [...part.matchAll(FIELD)].every(([, sign, field = '', form]) => {
    const isThere = fill(field, form) !== undefined
    return sign === '!' ? !isThere : isThere
  })
}
