import { KERNEL_ERRORS, invalidField } from '../errors.ts'

const textDecoder = new TextDecoder('utf-8', { fatal: true })
const cellDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes UTF-8 without a leading byte order mark. Throws `invalid_encoding` that names `field`: replacement characters
 * would silently change the input.
 */
export function decodeUtf8(bytes: Uint8Array, field: string): string {
  return decode(textDecoder, bytes, field)
}

/** The same for a piece out of the middle of a text, where a byte order mark is a character like others. */
export function decodeUtf8Piece(bytes: Uint8Array, field: string): string {
  return decode(cellDecoder, bytes, field)
}

function decode(decoder: typeof textDecoder, bytes: Uint8Array, field: string): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw invalidField(field, 'is not valid UTF-8', KERNEL_ERRORS.invalid_encoding, cause)
  }
}
