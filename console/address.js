/** Links of mails, and the way back from a payment: `#confirm=…`, `#invitation=…`, `#billing=paid`. */
const MARKS = /^(confirm|invitation|billing)=(.*)$/s

/**
 * What an address asks for: a page and its argument (`#/job/cmp_…`), or what a link of a mail brings.
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

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    // A stray percent sign: as it stands it names nothing, and the service says so.
    return text
  }
}
