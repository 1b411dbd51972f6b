/** A path has no more than this. */
const MOST_CHARS = 1000
/** One slash, then neither a second one nor a backslash, and nothing that is not plain text anywhere. */
const PATH = /^\/(?![/\\])[^\\\s\p{Cc}\p{Zl}\p{Zp}]*$/u
/** Where a path is read against; no name that anybody has (RFC 2606). */
const NOWHERE = 'http://service.invalid'

/**
 * The path on this service that a browser is sent to after it signed in: what was asked for, or `/`. Two slashes or a
 * backslash, which browsers take for a slash, and control characters, which they drop, could lead to another site; so
 * could `/.//`, once it is tidied up, so the path is judged before and after that.
 */
export function returnPathOf(asked: string | null | undefined): string {
  if (typeof asked !== 'string' || asked.length > MOST_CHARS || !PATH.test(asked)) return '/'
  if (!URL.canParse(asked, NOWHERE)) return '/'
  const url = new URL(asked, NOWHERE)
  const path = `${url.pathname}${url.search}${url.hash}`
  return url.origin === NOWHERE && PATH.test(path) ? path : '/'
}

/** The path with a query parameter more. */
export function withParameter(path: string, name: string, value: string): string {
  const [beforeHash = '', ...hash] = path.split('#')
  const separator = beforeHash.includes('?') ? '&' : '?'
  const rest = hash.length === 0 ? '' : `#${hash.join('#')}`
  return `${beforeHash}${separator}${encodeURIComponent(name)}=${encodeURIComponent(value)}${rest}`
}
