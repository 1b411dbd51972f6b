import { checkRevocation } from '../artifacts/life/check-archive.ts'
import { DomainError } from '../../kernel/errors.ts'
import { trustKeys, type PublicJwk, type TrustedKeys } from '../../ledger/keys/jwk.ts'
import type { FindSecret } from '../../ledger/keys/secret-lookup.ts'
import type { BuildReceipt } from '../../ledger/receipts/build-receipt.ts'
import { openRecipe, type OpenedRecipe } from '../runtime/open-recipe.ts'
import type { ContentMembers } from './members/content.ts'
import type { Manifest } from './members/documents.ts'
import { unpackArchive, type UnpackedArchive } from './unpack.ts'
import {
  checkArtifactHash,
  checkCid,
  checkContainer,
  checkContent,
  checkEvidence,
  checkFields,
  checkManifestHash,
  checkMembers,
  checkReceiptChain,
  checkSignature,
  checkTraining,
} from './verify/checks.ts'
import { checkCaptures } from './verify/captures.ts'
import { checkCertificate } from '../runtime/certificate/check-certificate.ts'
import { checkEvaluation, checkVerifier } from './verify/evaluation.ts'
import { checkMacs } from './verify/macs.ts'
import { checkProvenance, checkSplit } from './verify/provenance.ts'
import { checkGate, checkScore } from './verify/score.ts'
import { Trace, type VerificationCheck, type VerificationReason } from './verify/trace.ts'
import type { ArchiveLimits } from './zip/layout.ts'

export type { VerificationCheck, VerificationReason } from './verify/trace.ts'

/** An archive that verifies: its recipe, ready to run, and the members that it was opened from. */
export interface OpenedArchive {
  readonly recipe: OpenedRecipe
  readonly content: ContentMembers
  readonly archive: UnpackedArchive
}

/**
 * Result of verifying an archive. With `ok` and `unknown_signer` the archive is intact, but the signer's identity is
 * not proven.
 */
export interface VerificationResult {
  readonly ok: boolean
  readonly trusted: 'trusted' | 'unknown_signer' | 'untrusted'
  readonly checks: readonly VerificationCheck[]
  /** The first failure. */
  readonly reason?: VerificationReason
  readonly detail?: string
  /** Machine word for why the container was refused (`details.reason` of `invalid_archive`). */
  readonly refusal?: string
  readonly manifest?: Manifest
  readonly receipt?: BuildReceipt
  /** `kid` of the key that signed, whether or not it is trusted. */
  readonly fingerprint?: string
  /** The opened recipe and its sources; present only when every check passed. */
  readonly opened?: OpenedArchive
}

/** Options of the verification. */
export interface VerificationOptions {
  /** Pinned keys: the signature must be by one of them. Without any, integrity alone is checked. */
  readonly trustedKeys?: readonly PublicJwk[]
  /** Finds receipt secrets, where they are known: then the HMACs are checked too. */
  readonly findSecret?: FindSecret
  readonly limits?: ArchiveLimits
  /** The parsed list of revoked archives (`svc-revocations-1`), from a file: an archive that it names does not verify. */
  readonly revocations?: unknown
}

/**
 * Verifies an untrusted archive: the zip, every member's digest, the CID, the artifact hash, the receipt's chain and both
 * Ed25519 signatures. Then it derives every fact that follows from other members (rows judged again, accuracy, interval,
 * axes, K-score, gate, provenance, evidence graph), and opens the recipe. A check of status `warn` could not be made: it
 * is no pass. Bad bytes never throw; a `trustedKeys` entry that is not a key does.
 */
export async function verifyArchive(bytes: Uint8Array, options: VerificationOptions = {}): Promise<VerificationResult> {
  const trusted = options.trustedKeys === undefined ? undefined : trustKeys(options.trustedKeys)
  const trace = new Trace()
  let refusal: string | undefined
  const archive = await trace.attempt('archive', 'invalid_archive', async () => {
    try {
      return await unpackArchive(bytes, options.limits)
    } catch (error) {
      const reason = error instanceof DomainError ? error.details?.['reason'] : undefined
      refusal = typeof reason === 'string' ? reason : 'malformed_zip'
      throw error
    }
  })
  if (archive === undefined)
    return { ...trace.outcome(), trusted: 'unknown_signer', ...(refusal === undefined ? {} : { refusal }) }
  const opened = await checkEverything(trace, archive, trusted, options)
  const { manifest, receipt, signature } = archive
  if (options.revocations !== undefined) checkRevocation(trace, options.revocations, { manifest, trusted })
  const isTrusted = trusted?.has(signature.signature_ed25519.kid) === true && !trace.failed('signature')
  const trust = isTrusted ? 'trusted' : trusted === undefined ? 'unknown_signer' : 'untrusted'
  const outcome = { ...trace.outcome(), trusted: trust } as const
  const facts = { ...outcome, manifest, receipt, fingerprint: signature.signature_ed25519.kid }
  return outcome.ok && opened !== undefined ? { ...facts, opened: { ...opened, archive } } : facts
}

async function checkEverything(
  trace: Trace,
  archive: UnpackedArchive,
  trusted: TrustedKeys | undefined,
  options: VerificationOptions,
): Promise<{ recipe: OpenedRecipe; content: ContentMembers } | undefined> {
  const note = trace.check.bind(trace)
  await note('signature', 'signature_invalid', () => checkSignature(archive.signature, trusted))
  await note('receipt_signature', 'signature_invalid', () => checkSignature(archive.receipt, trusted))
  await note('manifest_hash', 'manifest_hash_mismatch', () => checkManifestHash(archive))
  await note('members', 'manifest_hash_mismatch', () => checkMembers(archive))
  await note('container', 'manifest_hash_mismatch', () => checkContainer(archive))
  await note('artifact_hash', 'manifest_hash_mismatch', () => checkArtifactHash(archive))
  const content = await trace.attempt('content', 'manifest_hash_mismatch', () => checkContent(archive))
  if (content === undefined) return undefined
  await note('cid', 'manifest_hash_mismatch', () => checkCid(archive, content))
  await note('receipt_chain', 'manifest_hash_mismatch', () => checkReceiptChain(archive, content))
  await note('k_gate', 'k_score_below_floor', () => checkGate(archive))
  await note('fields', 'manifest_hash_mismatch', () => checkFields(archive, content))
  await note('evaluation', 'evals_mismatch', () => checkEvaluation(content))
  await note('verifier', 'provenance_mismatch', () => checkVerifier(content))
  await note('certificate', 'evals_mismatch', () => checkCertificate(archive, content))
  await note('split', 'train_holdout_leakage', () => checkSplit(archive))
  await note('provenance', 'provenance_mismatch', () => checkProvenance(archive, content))
  const { parent_cid: parent } = archive.build
  if (parent !== undefined) await note('lineage', 'provenance_mismatch', () => `the version after ${parent}`)
  if (archive.build.captures !== undefined) {
    await note('captures', 'provenance_mismatch', () => checkCaptures(archive.build, content))
  }
  await note('training', 'provenance_mismatch', () => checkTraining(archive, content))
  await note('evidence', 'provenance_mismatch', () => checkEvidence(archive, content))
  await note('k_score', 'k_score_mismatch', () => checkScore(archive, content))
  const { findSecret } = options
  if (findSecret !== undefined)
    await note('hmac', 'signature_invalid', async () => await checkMacs(archive, findSecret))
  if (trusted === undefined) {
    trace.warn('signer', `no key is pinned: ${archive.signature.signature_ed25519.kid} is unknown`)
  }
  const recipe = await trace.attempt('recipe', 'recipe_invalid', () =>
    openRecipe(content.recipe, archive.members, content.certificate?.alternatives),
  )
  if (recipe === undefined) return undefined
  return { recipe, content }
}
