/** A path has no more than this. */
const MOST_CHARS = 1000
/** One slash, not followed by a slash or backslash, and no white space or control characters. */
const PATH = /^\/(?![/\\])[^\\\s\p{Cc}\p{Zl}\p{Zp}]*$/u
/** Base for resolving a path; a name that never resolves (RFC 2606). */
const NOWHERE = 'http://service.invalid'

/**
 * Returns the local path to send a browser to after sign-in: the requested one, or `/`. Two slashes, a backslash (which
 * browsers read as a slash) and control characters (which they drop) could lead to another site. So could `/.//` once
 * normalised, so the path is checked before and after normalisation.
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
