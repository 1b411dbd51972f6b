import type { JsonObject } from '../../../kernel/json/json.ts'
import { Refusal } from '../verdict.ts'
import { decodeCbor } from './cose.ts'

/** Bytes of a register, by the digest that made it. */
const REGISTER_BYTES = [32, 48, 64]
const MOST_REGISTERS = 32
const MOST_BUNDLE = 8

/** The payload of an attestation document of a Nitro enclave. */
export interface NitroDocument {
  readonly timestampMs: number
  /** Registers by their number. */
  readonly registers: ReadonlyMap<number, Buffer>
  readonly certificate: Buffer
  readonly bundle: readonly Buffer[]
  readonly nonce: Buffer | null
  readonly decoded: JsonObject
}

/** Reads the payload. Throws `Refusal` for one that lacks a field or has a wrong one. */
export function readNitroDocument(payload: Buffer): NitroDocument {
  const fields = decodeCbor(payload)
  if (!(fields instanceof Map)) throw new Refusal('document_malformed')
  const get = (name: string): unknown => fields.get(name)
  const [moduleId, digest, time] = [get('module_id'), get('digest'), get('timestamp')]
  // The decoder gives numbers of 64 bits as `bigint`.
  const timestampMs = typeof time === 'bigint' ? Number(time) : time
  const certificate = get('certificate')
  const [publicKey, userData, nonce] = [get('public_key'), get('user_data'), get('nonce')].map(bytesOrNull)
  if (typeof moduleId !== 'string' || moduleId === '' || digest !== 'SHA384' || !isTime(timestampMs)) {
    throw new Refusal('document_malformed')
  }
  if (!Buffer.isBuffer(certificate)) throw new Refusal('document_malformed')
  const registers = readRegisters(get('pcrs'))
  const bundle = readBundle(get('cabundle'))
  return {
    timestampMs,
    registers,
    certificate,
    bundle,
    nonce: nonce ?? null,
    decoded: {
      module_id: moduleId,
      timestamp: timestampMs,
      digest,
      pcrs: Object.fromEntries([...registers].map(([index, value]) => [String(index), value.toString('hex')])),
      certificate: certificate.toString('base64'),
      cabundle: bundle.map((each) => each.toString('base64')),
      public_key: publicKey?.toString('base64') ?? null,
      user_data: userData?.toString('base64') ?? null,
      nonce: nonce?.toString('hex') ?? null,
    },
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

function bytesOrNull(value: unknown): Buffer | null {
  if (value === null || value === undefined) return null
  if (!Buffer.isBuffer(value)) throw new Refusal('document_malformed')
  return value
}

function readRegisters(value: unknown): ReadonlyMap<number, Buffer> {
  if (!(value instanceof Map) || value.size === 0 || value.size > MOST_REGISTERS)
    throw new Refusal('document_malformed')
  const registers = new Map<number, Buffer>()
  for (const [index, bytes] of value) {
    const isRegister = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < MOST_REGISTERS
    if (!isRegister || !Buffer.isBuffer(bytes) || !REGISTER_BYTES.includes(bytes.length)) {
      throw new Refusal('document_malformed')
    }
    registers.set(index, bytes)
  }
  return registers
}

function readBundle(value: unknown): readonly Buffer[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_BUNDLE) throw new Refusal('document_malformed')
  return value.map((each: unknown) => {
    if (!Buffer.isBuffer(each)) throw new Refusal('document_malformed')
    return each
  })
}
