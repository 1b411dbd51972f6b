import { type KeyObject, sign } from 'node:crypto'
import { Encoder } from 'cbor-x'
import { exportJWK, type JWTPayload, SignJWT } from 'jose'
import { type CcRoots, openRoots } from '../../../core/evidence/cc/roots.ts'
import { ecPair, integer, issue, type Issued, type Pair, pemOf, rsaPair } from './given-certificates.ts'

/** The moment at which the reports are verified. */
export const NOW = new Date('2026-11-24T12:00:00Z')
export const NONCE = 'a1'.repeat(32)
export const MEASUREMENT = '5c'.repeat(48)
const CHIP_ID = Buffer.alloc(64, 0x77)
const AMD_ARC = '2b060104019c7801'
const LEVELS = { 1: 3, 2: 0, 3: 8, 8: 115 }

/** Roots of all kinds, made here, and what signs under them. */
export interface TestRoots {
  readonly snp: { readonly ark: Issued; readonly ask: Issued; readonly vcek: Issued }
  readonly nitro: { readonly root: Issued; readonly between: Issued; readonly leaf: Issued }
  readonly nras: { readonly leaf: Issued; readonly kid: string }
  /** In the form of `SVC_CC_ROOTS`. */
  readonly document: {
    readonly 'snp-report': string[]
    readonly 'nitro-attestation': string[]
    readonly nras: { readonly keys: object[] }
  }
  readonly pinned: CcRoots
}

/** Makes roots of all kinds. */
export async function givenRoots(): Promise<TestRoots> {
  const rsa = [rsaPair(), rsaPair()] as const
  const ark = issue({ name: 'ARK', pair: rsa[0], isCa: true })
  const ask = issue({ name: 'ASK', pair: rsa[1], issuer: ark, isCa: true })
  const vcek = givenVcek(ask)
  const root = issue({ name: 'nitro root', pair: ecPair(), isCa: true })
  const between = issue({ name: 'nitro zone', pair: ecPair(), issuer: root, isCa: true })
  const leaf = issue({ name: 'enclave', pair: ecPair(), issuer: between })
  const token = issue({ name: 'nras', pair: ecPair() })
  const kid = 'nras-1'
  const key = { ...(await exportJWK(token.publicKey)), kid, alg: 'ES384', use: 'sig' }
  const document = {
    'snp-report': [pemOf(ark)],
    'nitro-attestation': [pemOf(root)],
    nras: { keys: [key] },
  }
  return {
    snp: { ark, ask, vcek },
    nitro: { root, between, leaf },
    nras: { leaf: token, kid },
    document,
    pinned: openRoots(document),
  }
}

/** Issues a VCEK of the chip and the security levels of the reports. */
export function givenVcek(ask: Issued, options: { chipId?: Buffer; levels?: Record<number, number>; to?: Date } = {}) {
  const levels = Object.entries(options.levels ?? LEVELS)
  return issue({
    name: 'VCEK',
    pair: ecPair(),
    issuer: ask,
    ...(options.to !== undefined && { to: options.to }),
    extensions: [
      [`${AMD_ARC}04`, options.chipId ?? CHIP_ID],
      ...levels.map(([id, level]) => [`${AMD_ARC}03${id.padStart(2, '0')}`, integer(level)] as const),
    ],
  })
}

/** The bytes of an SEV-SNP report, signed by `signer`. `change` edits them before. */
export function givenSnpReport(signer: Pair, change: (raw: Buffer) => void = () => undefined): Buffer {
  const raw = Buffer.alloc(0x4a0)
  raw.writeUInt32LE(2, 0)
  raw.writeUInt32LE(1, 4)
  raw.writeBigUInt64LE(0x30000n, 8)
  raw.writeUInt32LE(1, 0x34)
  Buffer.from(NONCE, 'hex').copy(raw, 0x50)
  Buffer.from(MEASUREMENT, 'hex').copy(raw, 0x90)
  Buffer.from([LEVELS[1], LEVELS[2], 0, 0, 0, 0, LEVELS[3], LEVELS[8]]).copy(raw, 0x180)
  CHIP_ID.copy(raw, 0x1a0)
  change(raw)
  const signature = signP384(raw.subarray(0, 0x2a0), signer.privateKey)
  Buffer.from(signature.subarray(0, 48)).reverse().copy(raw, 0x2a0)
  Buffer.from(signature.subarray(48))
    .reverse()
    .copy(raw, 0x2a0 + 72)
  return raw
}

const encoder = new Encoder({ mapsAsObjects: false, useRecords: false, tagUint8Array: false })

/** The bytes of a Nitro document. `change` edits the fields of its payload, `header` replaces the unprotected one. */
export function givenNitroDocument(
  { root, between, leaf }: TestRoots['nitro'],
  options: { change?: (fields: Map<string, unknown>) => void; header?: Map<unknown, unknown> } = {},
): Buffer {
  const fields = new Map<string, unknown>([
    ['module_id', 'i-0123-enc0123'],
    ['digest', 'SHA384'],
    ['timestamp', BigInt(NOW.getTime() - 1000)],
    [
      'pcrs',
      new Map([
        [0, Buffer.from(MEASUREMENT, 'hex')],
        [1, Buffer.alloc(48, 2)],
      ]),
    ],
    ['certificate', leaf.der],
    ['cabundle', [root.der, between.der]],
    ['public_key', null],
    ['user_data', null],
    ['nonce', Buffer.from(NONCE, 'hex')],
  ])
  options.change?.(fields)
  const header = encoder.encode(new Map([[1, -35]]))
  const payload = encoder.encode(fields)
  const signed = encoder.encode(['Signature1', header, Buffer.alloc(0), payload])
  return encoder.encode([header, options.header ?? new Map(), payload, signP384(signed, leaf.privateKey)])
}

/** A token of the attestation service for GPUs. */
export async function givenToken({ leaf, kid }: TestRoots['nras'], claims: JWTPayload = {}): Promise<string> {
  const nowS = Math.floor(NOW.getTime() / 1000)
  return await new SignJWT({
    iss: 'https://nras.attestation.nvidia.com',
    iat: nowS - 10,
    exp: nowS + 3600,
    eat_nonce: NONCE,
    ueid: '4792',
    measres: 'success',
    dbgstat: 'disabled',
    secboot: true,
    'x-nvidia-gpu-driver-version': '550.90',
    'x-nvidia-gpu-vbios-version': '96.00',
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES384', kid, typ: 'JWT' })
    .sign(leaf.privateKey)
}

function signP384(bytes: Buffer, key: KeyObject): Buffer {
  return sign('sha384', bytes, { key, dsaEncoding: 'ieee-p1363' })
}
