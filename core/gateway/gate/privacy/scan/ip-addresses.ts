import { digitsEnd, isDigit, isWord, type Find } from './characters.ts'

/** Words before dotted numbers that are no addresses. */
const NUMBERED =
  /\b(?:version|versions|ver|v|release|releases|rev|revision|build|firmware|driver|section|sections|chapter|clause|article|paragraph|oid|release:|upgrade to|upgraded to)[\s:=."'§-]*$/

/** The IPv4 address that begins at a digit. */
export function ipv4At(text: string, at: number, context: string): Find | null {
  let end = at
  for (let octet = 0; octet < 4; octet++) {
    const start = end
    end = digitsEnd(text, start)
    const length = end - start
    if (length === 0 || length > 3 || Number(text.slice(start, end)) > 255) return null
    if (length > 1 && text.charAt(start) === '0') return null
    if (octet === 3) break
    if (text.charAt(end) !== '.') return null
    end++
  }
  const next = text.charAt(end)
  if (
    isWord(text.charCodeAt(end)) ||
    ((next === '.' || next === '-' || next === '+') && isWord(text.charCodeAt(end + 1)))
  )
    return null
  return NUMBERED.test(context) ? null : { start: at, end, kind: 'ip_address' }
}

const GROUP = /^[0-9a-f]{1,4}$/i
const MOST_CHARS = 45

/** The IPv6 address around a colon (RFC 4291, section 2.2); read at the first of its colons. */
export function ipv6At(text: string, at: number): Find | null {
  let start = at
  while (at - start < 4 && isHex(text.charCodeAt(start - 1))) start--
  if (isWord(text.charCodeAt(start - 1)) || text.charAt(start - 1) === ':' || text.charAt(start - 1) === '.')
    return null
  let end = at
  while (end - start < MOST_CHARS && (isHex(text.charCodeAt(end)) || text.charAt(end) === ':')) end++
  if (text.charAt(end - 1) === ':' && text.charAt(end - 2) !== ':') end--
  if (isWord(text.charCodeAt(end))) return null
  const address = text.slice(start, end)
  return isIpv6(address) ? { start, end, kind: 'ip_address' } : null
}

function isIpv6(address: string): boolean {
  const halves = address.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (!groups.every((group) => GROUP.test(group))) return false
  // `a::b` is how some languages name things.
  if (halves.length === 2)
    return (
      groups.length >= 1 &&
      groups.length <= 7 &&
      groups.some((group) => /\d/.test(group)) &&
      (groups.length > 1 || address.startsWith('::'))
    )
  return groups.length === 8
}

function isHex(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}
