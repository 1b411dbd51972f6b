import { createHash, createPublicKey, verify as verifySignature, type JsonWebKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import canonicalize from 'canonicalize'
import { unzipSync } from 'fflate'

/** A public key of a signer, as a JWK (RFC 8037) with its `kid`. */
export interface PublicKey {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly kid: string
}

/** Keys that an archive may be signed by. */
export interface VerifyOptions {
  /** Trusted keys. Without any, only integrity is checked. */
  readonly keys?: readonly PublicKey[]
}

/** Result of a verification. */
export interface Verification {
  /** Intact, and signed by a trusted key where keys were given. */
  readonly ok: boolean
  readonly trusted: 'trusted' | 'unknown_signer' | 'untrusted'
  /** Why it is not ok. */
  readonly reason?: string
  /** `kid` of the signer. */
  readonly kid?: string
  readonly jobId?: string
  readonly cid?: string
  readonly kScore?: number
}

interface Seal {
  readonly job_id: string
  readonly cid: string
  readonly k_score: number
  readonly manifest_hash: string
  readonly container: { readonly size_bytes: number; readonly sha256: string }
  readonly signature_ed25519: { readonly kid: string; readonly public_key: PublicKey; readonly signature: string }
}

const SEAL = 'signature.sig'
const LOCAL_HEADER = 0x04034b50
/** Most bytes that the members of an archive may have. */
const MOST_BYTES = 2 ** 30

/**
 * Verifies an archive offline: that `signature.sig` is signed by a trusted key, that it is of exactly these bytes, and that
 * every member is one that the signed manifest lists (docs/formats/svc-format.md, sections 6 to 8). The figures inside are not computed
 * again: `svc verify --recompute` does so. An archive that is not right is a result, not an error.
 */
export async function verify(archive: string | Uint8Array, options: VerifyOptions = {}): Promise<Verification> {
  const bytes = typeof archive === 'string' ? await readFile(archive) : archive
  try {
    return check(bytes, options.keys)
  } catch (error) {
    return { ok: false, trusted: 'untrusted', reason: error instanceof Error ? error.message : String(error) }
  }
}

function check(bytes: Uint8Array, keys: readonly PublicKey[] | undefined): Verification {
  const members = openMembers(bytes)
  const seal = parse<Seal>(members, SEAL)
  const { signature, ...claim } = seal.signature_ed25519
  const signer = seal.signature_ed25519.public_key
  const signed = Buffer.from(canonicalize({ ...seal, signature_ed25519: claim }) ?? '')
  const key = createPublicKey({ key: signer as unknown as JsonWebKey, format: 'jwk' })
  require(signer.kty === 'OKP' && signer.crv === 'Ed25519', 'the key of the signature is not Ed25519')
  require(verifySignature(null, signed, key, Buffer.from(signature, 'base64url')), 'the signature is wrong')
  const { size_bytes: size, sha256 } = seal.container
  require(sha256 === digest(bytes.subarray(0, size)), 'the bytes are not those that were signed')
  require(endsWithSeal(bytes, size), 'another member stands where the signature should')
  checkManifest(members, seal.manifest_hash)
  const isTrusted = keys?.some(({ kid, x }) => kid === signer.kid && x === signer.x)
  const facts = { kid: signer.kid, jobId: seal.job_id, cid: seal.cid, kScore: seal.k_score }
  if (isTrusted === undefined) return { ok: true, trusted: 'unknown_signer', ...facts }
  return isTrusted
    ? { ok: true, trusted: 'trusted', ...facts }
    : { ok: false, trusted: 'untrusted', reason: 'signed by a key that is not trusted', ...facts }
}

function openMembers(bytes: Uint8Array): Readonly<Record<string, Uint8Array>> {
  let total = 0
  const names = new Set<string>()
  return unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      total += originalSize
      require(total <= MOST_BYTES, 'the members are too large')
      require(!names.has(name), `two members are called ${name}`)
      names.add(name)
      return true
    },
  })
}

/** Whether the last member, which begins where the signed bytes end, is the signature. */
function endsWithSeal(bytes: Uint8Array, offset: number): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = new TextDecoder().decode(bytes.subarray(offset + 30, offset + 30 + SEAL.length))
  return view.getUint32(offset, true) === LOCAL_HEADER && name === SEAL
}

function checkManifest(members: Readonly<Record<string, Uint8Array>>, manifestHash: string): void {
  require(digest(members['manifest.json'] ?? new Uint8Array()) === manifestHash, 'the manifest is not the signed one')
  const { members: listed } = parse<{ readonly members: Readonly<Record<string, { readonly sha256: string }>> }>(
    members,
    'manifest.json',
  )
  const there = Object.keys(members).filter((name) => name !== 'manifest.json' && name !== SEAL)
  for (const name of new Set([...there, ...Object.keys(listed)])) {
    const content = members[name]
    require(content !== undefined &&
      listed[name]?.sha256 === digest(content), `the member ${name} is not the signed one`)
  }
}

function parse<T>(members: Readonly<Record<string, Uint8Array>>, name: string): T {
  const content = members[name]
  require(content !== undefined, `there is no member ${name}`)
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content)) as T
}

function digest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

function require(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new Error(reason)
}
