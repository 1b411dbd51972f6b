/** Links of mails, and the way back from a payment: `#confirm=…`, `#invitation=…`, `#billing=paid`. */
const MARKS = /^(confirm|invitation|billing)=(.*)$/s

/**
 * Parses an address: a page and its argument (`#/job/cmp_…`), or the parameters of a mailed link.
 *
 * @param {string} hash
 * @returns {{ name: string, argument: string }} an empty name for the front door
 */
export function readAddress(hash) {
  const text = hash.replace(/^#/, '')
  const [, mark, value] = MARKS.exec(text) ?? []
  if (mark !== undefined) return { name: mark, argument: value ?? '' }
  const [, name = '', argument = ''] = text.split('/')
  return { name, argument: decoded(argument) }
}

/** The name of the sign-in page in addresses. */
export const SIGN_IN_NAME = 'sign-in'

/** The requested page, to return to after signing in; undefined when there was none. */
export function askedPath() {
  const { name } = readAddress(location.hash)
  return name === SIGN_IN_NAME || !location.hash.startsWith('#/') ? undefined : `/${location.hash}`
}

/** The id of the part of a page that an address asks for: `#/artifact/cmp_…/run-file`. Empty for the top of the page. */
export function askedPart() {
  return location.hash.split('/')[3] ?? ''
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    // A stray percent sign: the raw text is used, and the service refuses it.
    return text
  }
}
