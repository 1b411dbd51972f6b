import { artifactHashOf } from '../../../db/compile/artifacts/artifact-hash.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import { inWordsOf } from '../../../core/compile/wire/facts/in-words.ts'
import { acceptedOf } from '../../../core/compile/wire/jobs/explain/acceptance.ts'
import { productionOf } from '../../../core/compile/wire/jobs/explain/production.ts'
import { figuresOf } from '../../../core/compile/wire/jobs/figures.ts'
import { kIntervalOf } from '../../../core/compile/wire/jobs/k-interval.ts'
import type { SharedContent } from '../../../core/compile/wire/share/content.ts'
import type { SharedView } from '../../../core/compile/wire/share/open.ts'
import type { Artifact } from '../../../db/compile/artifacts/artifact.ts'
import type { OpenedShareLink } from '../../../db/compile/across/open-share-link.ts'

/** Presents what a link shows; `address` is that of its page. */
export function presentShared(
  { kind, artifact, expiresAt, runLimit, runCount }: OpenedShareLink,
  content: SharedContent | null,
  address: string,
): SharedView {
  return {
    kind,
    name: artifact.name,
    recipe_kind: artifact.recipeKind,
    k_score: artifact.kScore,
    k_interval: kIntervalOf(envelopeOf(artifact)) ?? null,
    figures: figuresOf(envelopeOf(artifact)) ?? null,
    ...productionOf(artifact.evaluation, artifact),
    accepted: acceptedOf(artifact.evaluation) ?? null,
    in_words: inWordsOf(artifact),
    content,
    try_it: runLimit === 0 ? null : { url: `${address}/run`, runs_left: runLimit - runCount },
    holdout_count: artifact.holdoutCount,
    cid: artifact.cid,
    artifact_hash: artifactHashOf(artifact),
    archive_hash: artifact.archiveSha256,
    bytes: artifact.sizeBytes,
    signed_by: signerOf(artifact),
    signed_at: artifact.signedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    parts: [
      { name: 'report', url: `${address}/report` },
      ...(kind === 'artifact' ? [{ name: 'archive' as const, url: `${address}/archive` }] : []),
    ],
  }
}

function envelopeOf(artifact: Artifact): Json | undefined {
  const evaluation = artifact.evaluation
  return isJsonObject(evaluation) ? evaluation['k_score_envelope'] : undefined
}

/** The `kid` of the key that signed the build receipt of the archive; null for a receipt of an early version. */
function signerOf({ receipt }: Artifact): string | null {
  const block = receipt['signature_ed25519']
  const kid = isJsonObject(block) ? block['kid'] : undefined
  return typeof kid === 'string' ? kid : null
}

/** Presents the evaluation of an artifact and the digests of its data, without rows and without its owner. */
export function presentReport(artifact: Artifact) {
  const evaluation = isJsonObject(artifact.evaluation) ? artifact.evaluation : {}
  return {
    schema: 'svc-shared-report-1',
    name: artifact.name,
    recipe_kind: artifact.recipeKind,
    base_model: artifact.baseModel,
    k_score: artifact.kScore,
    k_interval: kIntervalOf(envelopeOf(artifact)) ?? null,
    figures: figuresOf(envelopeOf(artifact)) ?? null,
    ...productionOf(artifact.evaluation, artifact),
    accepted: acceptedOf(artifact.evaluation) ?? null,
    in_words: inWordsOf(artifact),
    k_score_envelope: evaluation['k_score_envelope'] ?? null,
    holdout_count: artifact.holdoutCount,
    eval_set_hash: artifact.evalSetHash ?? null,
    cid: artifact.cid,
    artifact_hash: artifactHashOf(artifact),
    archive_hash: artifact.archiveSha256,
    manifest: artifact.manifestHash,
    hashes: artifact.manifest['hashes'] ?? {},
    signature: artifact.signature,
    signed_at: artifact.signedAt.toISOString(),
  }
}
