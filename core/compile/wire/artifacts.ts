import { z } from 'zod'
import { ArtifactId, ConceptId, JobId, VersionId } from '../../kernel/wire/ids.ts'
import { AcceptedView } from './jobs/explain/acceptance.ts'
import { Figures } from './jobs/figures.ts'
import { KInterval } from './jobs/k-interval.ts'
import { LeafView } from './jobs/leaves.ts'
import { LearnedCapturesView } from './jobs/captures.ts'
import { ProductionReason } from './jobs/explain/production.ts'
import { ReviewReason } from './jobs/explain/review.ts'
import { NextCursor } from '../../kernel/wire/page.ts'
import { JsonValue } from '../../kernel/wire/values.ts'
import { CertificateView } from '../archive/schemas/certificate.ts'
import { REPORT_KINDS } from './artifacts/diagnosis.ts'
import { OnDoubtField } from '../runtime/certificate/risk.ts'
import { InWords } from './facts/in-words.ts'

/** A signed artifact. */
export const ArtifactView = z
  .object({
    id: ArtifactId,
    job_id: JobId,
    name: z.string(),
    status: z.string().meta({ description: 'State of its life: `signed`, `revoked`, …' }),
    tier: z.literal('recipe'),
    recipe_kind: z.string(),
    base_model: z.string(),
    concept_id: ConceptId,
    version_id: VersionId,
    artifact_hash: z.string().meta({ description: 'The hash that receipts name' }),
    archive_hash: z.string().meta({ description: 'Digest of the bytes of the archive' }),
    cid: z.string(),
    manifest: z.string().meta({ description: 'Digest of manifest.json' }),
    signature: z.string(),
    eval_set_hash: z.string().nullable(),
    k_score: z.number(),
    k_interval: KInterval.optional(),
    leaves: z.array(LeafView).optional().meta({ description: 'Of a composite recipe: its leaves, in their order' }),
    figures: Figures.optional(),
    production_ready: z.boolean().optional(),
    production_reasons: z.array(ProductionReason).optional().meta({ description: 'What speaks against production' }),
    needs_review: z.boolean().optional().meta({
      description:
        'True once a capture was forgotten that it learned from, or an artifact was revoked that it is built on; `production_ready` is false then',
    }),
    review_reasons: z.array(ReviewReason).optional(),
    accepted: AcceptedView.optional().meta({ description: 'Of an artifact that was accepted below its floor' }),
    holdout_count: z.int(),
    bytes: z.int(),
    size_mb: z.number(),
    created_at: z.iso.datetime(),
    signed_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    download_url: z.string(),
  })
  .meta({ id: 'Artifact' })

/** Answer of `GET /v1/artifacts`. */
export const ListArtifactsAnswer = z.object({ artifacts: z.array(ArtifactView), n: z.int(), next_cursor: NextCursor })

/** Answer of `GET /v1/artifacts/{id}`. */
export const GetArtifactAnswer = ArtifactView.extend({
  certificate: CertificateView.nullable().meta({
    description: 'The risk certificate; null where no risk was named',
  }),
  on_doubt: OnDoubtField.nullable().meta({ description: 'Null for artifacts whose verifier is not applied' }),
  origin: z
    .object({
      examples_n: z.int(),
      dataset_hash: z.string().meta({ description: 'Digest of the examples' }),
      earlier_job: JobId.optional().meta({ description: 'The job whose examples were compiled again' }),
      captures: LearnedCapturesView.optional().meta({ description: 'Present where examples are captures' }),
    })
    .optional()
    .meta({ description: 'What its job was compiled from' }),
  stored_reports: z
    .array(z.enum(REPORT_KINDS))
    .optional()
    .meta({ description: 'The reports on its rows that are stored: `GET` reads them, a new `POST` replaces them' }),
  in_words: InWords.optional().meta({ description: 'Its facts as sentences' }),
  hashes: JsonValue.meta({ description: 'Digests of the content members; the CID is made of them' }),
  receipt: JsonValue.meta({ description: 'The build receipt' }),
})

/** Answer of `GET /v1/artifacts/{id}/evidence-trace`. */
export const GetEvidenceTraceAnswer = z.object({
  artifact_id: ArtifactId,
  dag: z.object({
    spec: z.literal('svc-evidence-dag-1'),
    nodes: z.array(z.looseObject({ id: z.string(), kind: z.string() })),
    edges: z.array(z.object({ from: z.string(), to: z.string(), relationship: z.string() })),
  }),
})

/** Answer of `GET /v1/cid/{cid}`. */
export const FindByCidAnswer = z.object({ cid: z.string(), n: z.int(), artifacts: z.array(ArtifactView) })

/** Body of `POST /v1/artifact/verify-manifest`. */
export const VerifyManifestBody = z
  .object({
    cid: z.string().optional(),
    claimed_cid: z.string().optional(),
    hashes: JsonValue.optional(),
    manifest_hashes: JsonValue.optional(),
    manifest: JsonValue.optional(),
  })
  .refine(({ cid, claimed_cid }) => cid !== undefined || claimed_cid !== undefined, {
    path: ['cid'],
    error: 'is required',
  })
  .meta({ override: { anyOf: [{ required: ['cid'] }, { required: ['claimed_cid'] }] } })

/** Answer of `POST /v1/artifact/verify-manifest`. */
export const VerifyManifestAnswer = z.object({
  verified: z.boolean(),
  cid: z.string(),
  expected_cid: z.string().meta({ description: 'The computed CID' }),
  actual_cid: z.string().meta({ description: 'The claimed CID' }),
  manifest_hash_verified: z.boolean(),
  error: z.literal('manifest_hash_mismatch').optional(),
  reason: z.string().optional(),
})
