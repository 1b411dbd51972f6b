import type { X509Certificate } from 'node:crypto'
import { Refusal } from '../verdict.ts'
import type { SnpReport } from './layout.ts'

/** AMD's arc 1.3.6.1.4.1.3704.1 in DER. */
const AMD_ARC = '2b060104019c7801'
const CHIP_ID = `${AMD_ARC}04`
const SECURITY_LEVEL = `${AMD_ARC}03`
const TAGS = { integer: 0x02, octets: 0x04, oid: 0x06, sequence: 0x30, extensions: 0xa3 }

/**
 * Checks that a VCEK is of the chip and of the security levels that a report names (AMD document 57230, section 4.2).
 * Throws `Refusal`.
 */
export function requireSameChip(vcek: X509Certificate, report: SnpReport): void {
  const extensions = readExtensions(vcek.raw)
  const chip = extensions.get(CHIP_ID)
  // Certificates of some products wrap the id in a second string of octets.
  const id = chip?.length === report.chipId.length + 2 ? chip.subarray(2) : chip
  if (id?.equals(report.chipId) !== true) throw new Refusal('chip_mismatch', { check: 'chain' })
  for (const [extension, level] of report.levels) {
    const value = extensions.get(`${SECURITY_LEVEL}${extension.toString(16).padStart(2, '0')}`)
    if (value === undefined || readSmallInteger(value) !== level) throw new Refusal('tcb_mismatch', { check: 'chain' })
  }
}

/** The extensions of a certificate: the value of each by its object identifier in hex. */
function readExtensions(der: Buffer): ReadonlyMap<string, Buffer> {
  const [certificate] = readItems(der)
  const [body] = readItems(certificate?.value ?? Buffer.alloc(0))
  const holder = readItems(body?.value ?? Buffer.alloc(0)).find(({ tag }) => tag === TAGS.extensions)
  const [list] = readItems(holder?.value ?? Buffer.alloc(0))
  return new Map(
    readItems(list?.value ?? Buffer.alloc(0)).flatMap(({ tag, value }): [string, Buffer][] => {
      const parts = tag === TAGS.sequence ? readItems(value) : []
      const [oid, content] = [parts[0], parts.at(-1)]
      const isWhole = oid?.tag === TAGS.oid && content?.tag === TAGS.octets
      return isWhole ? [[oid.value.toString('hex'), content.value]] : []
    }),
  )
}

function readSmallInteger(der: Buffer): number | undefined {
  const [item] = readItems(der)
  if (item?.tag !== TAGS.integer || item.value.length > 2) return undefined
  return item.value.readUIntBE(0, item.value.length)
}

interface Item {
  readonly tag: number
  readonly value: Buffer
}

/** The items of a DER value. The certificate was parsed before, so what does not fit simply ends the list. */
function readItems(bytes: Buffer): readonly Item[] {
  const items: Item[] = []
  for (let at = 0; at + 2 <= bytes.length;) {
    const tag = bytes.readUInt8(at)
    const first = bytes.readUInt8(at + 1)
    const extra = first < 0x80 ? 0 : first & 0x7f
    if (extra > 3 || at + 2 + extra > bytes.length) break
    const length = extra === 0 ? first : bytes.readUIntBE(at + 2, extra)
    const start = at + 2 + extra
    if (start + length > bytes.length) break
    items.push({ tag, value: bytes.subarray(start, start + length) })
    at = start + length
  }
  return items
}
