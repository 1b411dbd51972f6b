import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Prefixes of the identifiers that the service mints. */
export type IdPrefix =
  | 'ten'
  | 'key'
  | 'ses'
  | 'rsk'
  | 'cmp'
  | 'cpt'
  | 'ver'
  | 'rcp'
  | 'aud'
  | 'req'
  | 'inv'
  | 'evt'
  | 'exp'
  | 'mbr'
  | 'team'
  | 'ivt'
  | 'lat'
  | 'mail'
  | 'pk'
  | 'dun'
  | 'rfd'
  | 'adm'
  | 'dcl'
  | 'shr'
  | 'con'
  | 'chk'
  | 'bat'
  | 'cap'
  | 'frq'
  | 'rcpt'
  | 'fgt'
  | 'cv'
  | 'turn'
  | 'doc'
  | 'idx'
  | 'wrap'
  | 'ds'
  | 'hook'
  | 'lse'
  | 'evl'
  | 'hld'
  | 'gat'
  | 'pol'
  | 'cdj'
  | 'bpk'
  | 'run'
  | 'bko'
  | 'inf'

const ID_BYTES = 16
/** Random bytes are fetched for many ids at once: fetching sixteen costs as much as fetching thousands. */
const pool = Buffer.alloc(ID_BYTES * 256)
let used = pool.length

/**
 * A new identifier: the prefix, `_`, and 128 random bits as 26 characters of lower-case Crockford base32
 * (https://www.crockford.com/base32.html; the first character carries the three leading bits).
 */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${base32(randomPart(ID_BYTES))}`
}

/** Random bytes that no id had before. */
function randomPart(length: number): Uint8Array {
  if (used + length > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += length
  return pool.subarray(used - length, used)
}

const TIME_BYTES = 6
const time = Buffer.alloc(ID_BYTES)

/**
 * A new identifier whose order is that of its time: 48 bits of milliseconds since 1970, then 80 random bits (as a UUID of
 * version 7, RFC 9562). For rows that are many and read by time.
 */
export function newTimedId(prefix: IdPrefix, at: Date): string {
  time.set(randomPart(ID_BYTES - TIME_BYTES), TIME_BYTES)
  time.writeUIntBE(at.getTime(), 0, TIME_BYTES)
  return `${prefix}_${base32(time)}`
}

/** The smallest identifier of a time, which bounds the rows from then on. */
export function firstTimedId(prefix: IdPrefix, at: Date): string {
  const bytes = Buffer.alloc(ID_BYTES)
  bytes.writeUIntBE(Math.max(0, at.getTime()), 0, TIME_BYTES)
  return `${prefix}_${base32(bytes)}`
}

/** Bytes as lower-case Crockford base32, most significant bits first, left-padded to whole characters. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let buffer = 0
  // Zero bits in front make the number of bits a multiple of five.
  let bits = (5 - ((bytes.length * 8) % 5)) % 5
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET.charAt((buffer >>> bits) & 31)
    }
    buffer &= (1 << bits) - 1
  }
  return text
}
