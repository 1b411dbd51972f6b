import type { ReplyHeaders } from '../../kernel/route.ts'

const MOST_NAMES = 20
const MOST_CHARS = 100
/** All but visible ASCII, and the comma between the names. */
const UNWRITTEN = /[^\x21-\x2b\x2d-\x7e]/g

/** Names the members of a call that its translation left out, the first twenty; no header for none. */
export function leftOutHeaders(leftOut: readonly string[] = []): ReplyHeaders {
  if (leftOut.length === 0) return {}
  const names = leftOut.slice(0, MOST_NAMES).map((name) => name.slice(0, MOST_CHARS).replace(UNWRITTEN, '?'))
  return { 'x-svc-left-out': names.join(', ') }
}
