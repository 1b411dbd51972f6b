const MAX_CHARS = 254
const ADDRESS = /^[^\s@<>"\p{Cc}]{1,64}@[^\s@<>"\p{Cc}]+\.[^\s@<>".\p{Cc}]+$/u

/**
 * An e-mail address as it is kept and compared, in lower case; null for a text that is none, and for one with a letter
 * beyond ASCII whose lower case is within it (the Kelvin sign): two mailboxes would be one address here.
 */
export function readAddress(text: string | undefined): string | null {
  if (text === undefined) return null
  const address = text.toLowerCase()
  const isFaithful = asciiOf(address).length === asciiOf(text).length
  return isFaithful && address.length <= MAX_CHARS && ADDRESS.test(address) ? address : null
}

function asciiOf(text: string): string {
  return text.replace(/\P{ASCII}/gu, '')
}
