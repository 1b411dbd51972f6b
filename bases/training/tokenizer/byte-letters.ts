/**
 * The letter of each byte in a byte-level vocabulary: printable Latin-1 characters map to themselves, the others to the
 * characters from U+0100 on (the table of GPT-2's `bytes_to_unicode`).
 */
export const BYTE_LETTERS: readonly string[] = (() => {
  const printable = (byte: number): boolean => (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173)
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++))
})()

/** A text as the letters of its UTF-8 bytes. */
export const toByteLetters = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => BYTE_LETTERS[byte] ?? '').join('')
