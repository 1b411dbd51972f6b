const MAX_CHARS = 254
const ADDRESS = /^[^\s@<>"]{1,64}@[^\s@<>"]+\.[^\s@<>".]+$/

/** The e-mail address that a provider wrote, in lower case; null for what is none. */
export function readAddress(text: string | undefined): string | null {
  return text !== undefined && text.length <= MAX_CHARS && ADDRESS.test(text) ? text.toLowerCase() : null
}
