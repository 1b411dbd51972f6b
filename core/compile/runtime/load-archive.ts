import { COMPILE_ERRORS } from '../errors.ts'
import type { PublicJwk } from '../../ledger/keys/jwk.ts'
import type { ContentMembers } from '../archive/members/content.ts'
import type { Manifest } from '../archive/members/documents.ts'
import type { UnpackedArchive } from '../archive/unpack.ts'
import { verifyArchive } from '../archive/verify.ts'
import type { ArchiveLimits } from '../archive/zip/layout.ts'
import { explainingRunner } from './runners/explaining-runner.ts'
import { openGuard, type Guard } from './guard.ts'
import type { OpenedRecipe } from './open-recipe.ts'

/** An archive that was verified, and its recipe. */
export interface LoadedArchive {
  readonly manifest: Manifest
  readonly recipe: OpenedRecipe
  /** Judges the answers of the recipe: what a run answers is what it lets through. */
  readonly guard: Guard
  /** The members from which the recipe was opened. */
  readonly content: ContentMembers
  readonly archive: UnpackedArchive
  readonly trusted: 'trusted' | 'unknown_signer' | 'untrusted'
  /** `kid` of the key that signed. */
  readonly fingerprint: string
}

/**
 * Verifies an archive and opens its recipe; every digest and signature is checked before anything in it runs. Throws
 * `invalid_archive` with `details.reason` when it does not verify.
 */
export async function loadArchive(
  bytes: Uint8Array,
  options: { readonly trustedKeys?: readonly PublicJwk[]; readonly limits?: ArchiveLimits } = {},
): Promise<LoadedArchive> {
  const result = await verifyArchive(bytes, options)
  const { ok, opened, manifest, fingerprint } = result
  if (!ok || opened === undefined || manifest === undefined || fingerprint === undefined) {
    throw COMPILE_ERRORS.invalid_archive(`archive does not verify: ${result.detail ?? 'unknown'}`, {
      details: { reason: result.refusal ?? result.reason },
    })
  }
  const { content, archive } = opened
  const recipe: OpenedRecipe =
    opened.recipe.kind === 'pure'
      ? { kind: 'pure', runner: explainingRunner(opened.recipe.runner, content.verifier) }
      : opened.recipe
  return { manifest, recipe, guard: openGuard(content), content, archive, trusted: result.trusted, fingerprint }
}
