import { isAlphanumeric, isWord, type Find } from './characters.ts'

const PREFIX = /^(?:CUST|CUSTOMER|CID|ACCT)$/i
const LONGEST_PREFIX = 8
const LEAST = 3
const MOST = 16

/** The id of a customer whose prefix ends before the `-` or `_` at a place: `CUST-00421`. */
export function customerIdAt(text: string, at: number): Find | null {
  let start = at
  while (at - start <= LONGEST_PREFIX && isAlphanumeric(text.charCodeAt(start - 1))) start--
  const before = text.charAt(start - 1)
  if (start === at || before === '-' || before === '_' || isWord(text.charCodeAt(start - 1))) return null
  const prefix = text.slice(start, at)
  if (!PREFIX.test(prefix)) return null
  let end = at + 1
  while (end - at <= MOST + 1 && (isAlphanumeric(text.charCodeAt(end)) || isDash(text, end))) end++
  const value = text.slice(at + 1, end)
  const digits = value.replaceAll(/\D/g, '').length
  if (value.length < LEAST || value.length > MOST || isWord(text.charCodeAt(end))) return null
  return digits >= (prefix === prefix.toUpperCase() ? 1 : 3) ? { start, end, kind: 'customer_id' } : null
}

function isDash(text: string, at: number): boolean {
  return text.charAt(at) === '-' && isAlphanumeric(text.charCodeAt(at + 1))
}
