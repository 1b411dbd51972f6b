import { invalidField, type DomainError } from '../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../errors.ts'
import { hashJson, isJsonObject, type Json, type Sha256 } from '../../kernel/json/json.ts'

const CID = /^cidv1:sha256:[0-9a-f]{64}$/
const HEX = /^(?:sha256:)?([0-9a-f]{64})$/
const MAX_HASHES = 1024
const MEMBER_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/

/** A content identifier: `cidv1:sha256:` and 64 lower-case hex digits. */
export type Cid = `cidv1:sha256:${string}`

/** Digests of members, by member name. */
export type MemberHashes = Readonly<Record<string, Sha256>>

/** The CID of content members: SHA-256 over the RFC 8785 form of `{"hashes": {member name: "sha256:…"}}`. */
export function computeCid(hashes: MemberHashes): Cid {
  return `cidv1:${hashJson({ hashes })}`
}

/** True when the text is a CID of the one form there is. */
export function isCid(text: string): text is Cid {
  return CID.test(text)
}

/** The CID in a text. Throws `invalid_cid` that names the expected form. */
export function parseCid(text: string): Cid {
  if (isCid(text)) return text
  throw invalidField('cid', 'must have the form cidv1:sha256:<64 lower-case hex digits>', COMPILE_ERRORS.invalid_cid)
}

/** Reads a hashes block from outside; bare hex digests get the prefix. Throws `invalid_hashes`. */
export function parseHashes(value: Json | undefined): MemberHashes {
  if (!isJsonObject(value)) throw invalidHashes('hashes', 'must be an object of member names to digests')
  const entries = Object.entries(value)
  if (entries.length === 0 || entries.length > MAX_HASHES) {
    throw invalidHashes('hashes', `must have 1 to ${MAX_HASHES} members`)
  }
  return Object.fromEntries(
    entries.map(([name, digest]): [string, Sha256] => {
      if (!MEMBER_NAME.test(name)) {
        throw invalidHashes('hashes', 'has a name with characters that no member name has')
      }
      const hex = typeof digest === 'string' ? HEX.exec(digest)?.[1] : undefined
      if (hex === undefined) throw invalidHashes(`hashes.${name}`, 'is not a SHA-256 digest')
      return [name, `sha256:${hex}`]
    }),
  )
}

/**
 * The result of verifying that these hashes have this CID. `expected_cid` is computed from the hashes; `verified` also
 * requires that a given manifest is consistent.
 */
export interface ManifestVerification {
  readonly verified: boolean
  readonly cid: Cid
  readonly expected_cid: Cid
  readonly actual_cid: Cid
  readonly manifest_hash_verified: boolean
  readonly error?: 'manifest_hash_mismatch'
  readonly reason?: string
}

/** Recomputes the CID of a hashes block and compares it with the claimed one. Throws `invalid_cid`, `invalid_hashes`. */
export function verifyManifestHashes(claimedCid: string, hashes: Json | undefined): ManifestVerification {
  const claimed = parseCid(claimedCid)
  const computed = computeCid(parseHashes(hashes))
  const facts = { cid: computed, expected_cid: computed, actual_cid: claimed }
  if (claimed === computed) return { verified: true, ...facts, manifest_hash_verified: true }
  return {
    verified: false,
    ...facts,
    manifest_hash_verified: false,
    error: 'manifest_hash_mismatch',
    reason: 'the hashes give another CID than the claimed one',
  }
}

function invalidHashes(field: string, message: string): DomainError {
  return invalidField(field, message, COMPILE_ERRORS.invalid_hashes)
}
