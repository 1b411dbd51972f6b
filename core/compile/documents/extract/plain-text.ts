/** Returns the text of bytes: UTF-8, UTF-16 with its mark, else Windows-1252, which every byte is a character of. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Returns a text that Postgres stores: without NUL and lone surrogates; lines end with a line feed. */
export function storableText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\0', '').toWellFormed()
}
