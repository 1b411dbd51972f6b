import { Decoder, Encoder } from 'cbor-x'
import { Refusal } from '../verdict.ts'
import { scanCbor } from './scan-cbor.ts'

/** COSE_Sign1 (RFC 9052, 4.2), without a tag, as an enclave gives it. */
export interface CoseSign1 {
  /** The bytes that the signature covers: `Sig_structure` of the protected header and the payload. */
  readonly signed: Buffer
  readonly payload: Buffer
  /** r and s, 48 bytes each. */
  readonly signature: Buffer
}

const ALGORITHM = 1
const ES384 = -35
const SIGNATURE_BYTES = 96

const decoder = new Decoder({ mapsAsObjects: false, useRecords: false })
const encoder = new Encoder({ mapsAsObjects: false, useRecords: false, tagUint8Array: false })

/** Decodes CBOR after it was scanned; maps become `Map`s. Throws `Refusal`. */
export function decodeCbor(bytes: Buffer): unknown {
  scanCbor(bytes)
  try {
    return decoder.decode(bytes)
  } catch {
    throw new Refusal('cbor_malformed')
  }
}

/** Reads a COSE_Sign1 whose one protected header names ES384 and whose other header is empty. Throws `Refusal`. */
export function readSign1(raw: Buffer): CoseSign1 {
  const parts = decodeCbor(raw)
  if (!Array.isArray(parts) || parts.length !== 4) throw new Refusal('cose_malformed')
  const [protectedHeader, unprotected, payload, signature]: unknown[] = parts
  if (!Buffer.isBuffer(protectedHeader) || !Buffer.isBuffer(payload) || !Buffer.isBuffer(signature)) {
    throw new Refusal('cose_malformed')
  }
  if (!(unprotected instanceof Map) || unprotected.size > 0) throw new Refusal('cose_header_not_empty')
  const header = decodeCbor(protectedHeader)
  if (!(header instanceof Map) || header.size !== 1 || header.get(ALGORITHM) !== ES384) {
    throw new Refusal('unknown_signature_algorithm')
  }
  if (signature.length !== SIGNATURE_BYTES) throw new Refusal('signature_malformed', { check: 'signature' })
  const structure = ['Signature1', protectedHeader, Buffer.alloc(0), payload]
  return { signed: encoder.encode(structure), payload, signature }
}
