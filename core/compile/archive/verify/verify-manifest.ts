import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { computeCid, verifyManifestHashes, type ManifestVerification } from '../cid.ts'
import { Manifest } from '../members/documents.ts'
import { manifestContradictions } from './manifest-facts.ts'

/**
 * Recomputes the CID of a block of hashes and compares it with the claimed one; where the whole manifest is given
 * (it states a `spec`), also checks that it does not contradict itself. Throws `invalid_cid`, `invalid_hashes`.
 */
export function verifyManifest(
  claimedCid: string,
  hashes: Json | undefined,
  manifest: Json | undefined,
): ManifestVerification {
  const found = verifyManifestHashes(claimedCid, hashes)
  if (!found.verified || !isJsonObject(manifest) || manifest['spec'] === undefined) return found
  const parsed = Manifest.safeParse(manifest)
  const [issue] = parsed.error?.issues ?? []
  const problems = parsed.success
    ? [
        ...manifestContradictions(parsed.data),
        ...(parsed.data.cid === found.cid && computeCid(parsed.data.hashes) === found.cid
          ? []
          : ['its cid or hashes are others']),
        ...(parsed.data.k_score < parsed.data.k_score_floor ? ['k_score is below k_score_floor'] : []),
      ]
    : [`${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not in its form'}`.trim()]
  if (problems.length === 0) return found
  return {
    ...found,
    verified: false,
    error: 'manifest_hash_mismatch',
    reason: `the manifest contradicts itself: ${problems.join('; ')}`,
  }
}
