const MAX_CHARS = 254
const ADDRESS = /^[^\s@<>"\p{Cc}]{1,64}@[^\s@<>"\p{Cc}]+\.[^\s@<>".\p{Cc}]+$/u

/**
 * Returns an e-mail address in the stored form, in lower case; null for a text that is not an address, and for one with
 * a letter beyond ASCII whose lower case is ASCII (the Kelvin sign): two mailboxes would share one address here.
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
