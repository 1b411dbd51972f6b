/**
 * Returns the bytes of a text that is base64 from its beginning to its end, also in the alphabet of URLs, in lines or
 * unpadded; null for any other. One pass of the decoder, which leaves out what is no base64: a text from which it makes as many
 * bytes as it has digits for holds nothing else.
 */
export function bytesOfBase64(text: string): Buffer<ArrayBuffer> | null {
  return decoded(text) ?? (/\s/.test(text) ? decoded(text.replaceAll(/\s+/g, '')) : null)
}

/**
 * Returns base64 as every provider takes it: padded, in one line, and not in the alphabet of URLs; null for a text that is no
 * base64.
 */
export function plainBase64(text: string): string | null {
  const bytes = bytesOfBase64(text)
  if (bytes === null) return null
  const isPlain = text.length === Math.ceil(bytes.length / 3) * 4 && !text.includes('-') && !text.includes('_')
  return isPlain ? text : bytes.toString('base64')
}

function decoded(text: string): Buffer<ArrayBuffer> | null {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  if (digits === 0 || text.length % 4 === 1 || digits % 4 === 1) return null
  // The decoder looks at the low byte of a character alone.
  if (Buffer.byteLength(text) !== text.length) return null
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === Math.floor((digits * 3) / 4) ? bytes : null
}
