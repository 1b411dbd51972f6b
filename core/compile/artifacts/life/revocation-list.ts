import { z } from 'zod'
import { checkDocument, signDocument, type SignatureCheck } from '../../../ledger/keys/sealed-document.ts'
import type { TrustedKeys } from '../../../ledger/keys/jwk.ts'
import type { SigningKey } from '../../../ledger/keys/signing-key.ts'
import { RevocationList, REVOCATIONS_SPEC, type Revocation } from '../../wire/artifacts/revocations.ts'

const HOUR_MS = 3_600_000

/** Returns the time that a list states which is made now: the begin of the hour. */
export function listTime(now: Date): string {
  return new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS).toISOString()
}

/**
 * Returns the signed list as of a time. Within an hour it is the same document byte by byte, in every process, until the next
 * revocation.
 */
export function revocationList(revoked: readonly Revocation[], signer: SigningKey, now: Date): RevocationList {
  const hour = listTime(now)
  const last = revoked.at(-1)
  return signDocument(
    {
      spec: REVOCATIONS_SPEC,
      number: last?.number ?? 0,
      issued_at: last !== undefined && last.revoked_at > hour ? last.revoked_at : hour,
      revoked: [...revoked],
    },
    signer,
  )
}

/** A list that was read: checked, or why it cannot be used. */
export type CheckedRevocations =
  | { readonly ok: true; readonly list: RevocationList; readonly signature: SignatureCheck }
  | { readonly ok: false; readonly problem: string }

/**
 * Checks a list without the service: its form, its signature, and that its numbers count from 1 to its own without a gap.
 * With trusted keys the signature must be by one of them.
 */
export function checkRevocations(document: unknown, trusted: TrustedKeys | undefined): CheckedRevocations {
  const parsed = RevocationList.safeParse(document)
  if (!parsed.success) return { ok: false, problem: `it is no ${REVOCATIONS_SPEC}: ${z.prettifyError(parsed.error)}` }
  const list = parsed.data
  const signature = checkDocument(list, trusted)
  if (signature === 'invalid') return { ok: false, problem: 'its signature is not valid' }
  if (signature === 'untrusted') {
    return { ok: false, problem: `it is signed by ${list.signature_ed25519.kid}, which is not a trusted key` }
  }
  const isGapless = list.revoked.every(({ number }, index) => number === index + 1)
  if (!isGapless || list.number !== list.revoked.length) {
    return { ok: false, problem: `it states number ${list.number}, but its entries do not count from 1 to that` }
  }
  return { ok: true, list, signature }
}

/** The status of an archive by a list. */
export interface RevocationStatus {
  /** The entry that names the archive. */
  readonly revoked: Revocation | null
  /** An entry that names another archive with the same content. */
  readonly sameContent: Revocation | null
}

/**
 * Looks an archive up in a list. Its artifact hash decides: an archive of the same content that another job made has the same
 * CID, and may be in force.
 */
export function findRevocation(
  { revoked }: Pick<RevocationList, 'revoked'>,
  archive: { readonly cid: string; readonly artifactHash: string },
): RevocationStatus {
  return {
    revoked: revoked.find((entry) => entry.artifact_hash === archive.artifactHash) ?? null,
    sameContent:
      revoked.find((entry) => entry.cid === archive.cid && entry.artifact_hash !== archive.artifactHash) ?? null,
  }
}
