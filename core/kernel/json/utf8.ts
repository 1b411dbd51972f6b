import { KERNEL_ERRORS, invalidField } from '../errors.ts'

const textDecoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Decodes UTF-8 without a leading byte order mark. Throws `invalid_encoding` that names `field`: replacement characters
 * would silently change the input.
 */
export function decodeUtf8(bytes: Uint8Array, field: string): string {
  try {
    return textDecoder.decode(bytes)
  } catch (cause) {
    throw invalidField(field, 'is not valid UTF-8', KERNEL_ERRORS.invalid_encoding, cause)
  }
}
