import { Refusal } from '../verdict.ts'

const MOST_ITEMS = 2000
const DEEPEST = 8
const MAJOR = { bytes: 2, text: 3, list: 4, map: 5, tag: 6, simple: 7 }
const INDEFINITE = 31
const BREAK = 0xff
/** false, true, null. */
const SIMPLE_VALUES = [20, 21, 22]

/**
 * Walks CBOR (RFC 8949) before it is decoded: one item and nothing behind it, no tags, no floats, lengths in their
 * shortest form, bounded in number and depth of items. Lists and maps of indefinite length pass, since signers write
 * them. Throws `Refusal`.
 */
export function scanCbor(bytes: Buffer): void {
  let at = 0
  let items = 0

  const take = (count: number): number => {
    if (at + count > bytes.length) throw new Refusal('cbor_truncated')
    at += count
    return at - count
  }

  const readHead = (): { readonly major: number; readonly info: number; readonly value: number } => {
    const first = bytes.readUInt8(take(1))
    const [major, info] = [first >> 5, first & 31]
    if (info < 24) return { major, info, value: info }
    if (info === INDEFINITE) return { major, info, value: 0 }
    if (info > 27) throw new Refusal('cbor_malformed')
    const width = 2 ** (info - 24)
    const from = take(width)
    const value = width === 8 ? Number(bytes.readBigUInt64BE(from)) : bytes.readUIntBE(from, width)
    const least = width === 1 ? 24 : 2 ** (width * 4)
    if (major !== MAJOR.simple && value < least) throw new Refusal('cbor_not_shortest')
    return { major, info, value }
  }

  const walkParts = (count: number, isIndefinite: boolean, depth: number): void => {
    if (!isIndefinite) {
      for (let part = 0; part < count; part++) walk(depth + 1)
      return
    }
    while (bytes[at] !== BREAK) {
      for (let part = 0; part < count; part++) walk(depth + 1)
    }
    take(1)
  }

  const walk = (depth: number): void => {
    items++
    if (items > MOST_ITEMS || depth > DEEPEST) throw new Refusal('cbor_too_large')
    const { major, info, value } = readHead()
    const isIndefinite = info === INDEFINITE
    switch (major) {
      case MAJOR.bytes:
      case MAJOR.text:
        if (isIndefinite) throw new Refusal('cbor_malformed')
        take(value)
        return
      case MAJOR.list:
        walkParts(isIndefinite ? 1 : value, isIndefinite, depth)
        return
      case MAJOR.map:
        walkParts(isIndefinite ? 2 : value * 2, isIndefinite, depth)
        return
      case MAJOR.tag:
        throw new Refusal('cbor_malformed')
      case MAJOR.simple:
        if (!SIMPLE_VALUES.includes(info)) throw new Refusal('cbor_malformed')
        return
      default:
        if (isIndefinite) throw new Refusal('cbor_malformed')
    }
  }

  walk(0)
  if (at < bytes.length) throw new Refusal('trailing_bytes')
}
