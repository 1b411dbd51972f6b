import { randomBytes } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Prefixes of the identifiers that the service mints. */
export type IdPrefix = 'ten' | 'key' | 'ses' | 'rsk' | 'cmp' | 'cpt' | 'ver' | 'rcp' | 'aud' | 'req' | 'inv' | 'evt'

/**
 * A new identifier: the prefix, `_`, and 128 random bits as 26 characters of lower-case Crockford base32
 * (https://www.crockford.com/base32.html; the first character carries the three leading bits).
 */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${base32(randomBytes(16))}`
}

/** Bytes as lower-case Crockford base32, most significant bits first, left-padded to whole characters. */
export function base32(bytes: Uint8Array): string {
  const length = Math.ceil((bytes.length * 8) / 5)
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
  let text = ''
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(Number(value & 31n)) + text
    value >>= 5n
  }
  return text
}
