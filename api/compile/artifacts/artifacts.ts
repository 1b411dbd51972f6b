import { CHECKS } from '../../kernel/guard/public-limits.ts'
import { z } from 'zod'
import { isCid } from '../../../core/compile/archive/cid.ts'
import { verifyManifest } from '../../../core/compile/archive/verify/verify-manifest.ts'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { isJsonObject } from '../../../core/kernel/json/json.ts'
import type { Artifact } from '../../../db/compile/artifacts/artifact.ts'
import { findArtifact, findByCid } from '../../../db/compile/artifacts/find-artifact.ts'
import { countArtifacts, listArtifacts } from '../../../db/compile/artifacts/list-artifacts.ts'
import { storedReportKinds } from '../../../db/compile/row-results/row-reports.ts'
import { findDag } from '../../../db/compile/evidence/find-dag.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { ARCHIVE_ANSWERS, ARCHIVE_ERRORS, download } from '../submit/archive.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { ArtifactId } from '../../../core/kernel/wire/ids.ts'
import { artifactHashOf } from '../../../db/compile/artifacts/artifact-hash.ts'
import { megabytes, presentCaptures, presentEarlierJob } from '../jobs/present-job.ts'
import { acceptedOf } from '../../../core/compile/wire/jobs/explain/acceptance.ts'
import { figuresOf } from '../../../core/compile/wire/jobs/figures.ts'
import { presentDoubt } from '../jobs/present-doubt.ts'
import { productionOf } from '../../../core/compile/wire/jobs/explain/production.ts'
import { reviewOf } from '../../../core/compile/wire/jobs/explain/review.ts'
import { kIntervalOf } from '../../../core/compile/wire/jobs/k-interval.ts'
import { leavesOfEvaluation } from '../../../core/compile/wire/jobs/leaves.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { inWordsOf } from '../../../core/compile/wire/facts/in-words.ts'
import {
  type ArtifactView,
  FindByCidAnswer,
  GetArtifactAnswer,
  GetEvidenceTraceAnswer,
  ListArtifactsAnswer,
  VerifyManifestAnswer,
  VerifyManifestBody,
} from '../../../core/compile/wire/artifacts.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { defineRoute } from '../services.ts'

function presentArtifact(artifact: Artifact): z.input<typeof ArtifactView> {
  const evaluation = isJsonObject(artifact.evaluation) ? artifact.evaluation : {}
  const interval = kIntervalOf(evaluation['k_score_envelope'])
  const leaves = leavesOfEvaluation(evaluation['leaves'])
  const accepted = acceptedOf(evaluation)
  const figures = figuresOf(evaluation['k_score_envelope'], megabytes(artifact.sizeBytes))
  return {
    id: artifact.id,
    job_id: artifact.id,
    name: artifact.name,
    status: artifact.state,
    tier: 'recipe',
    recipe_kind: artifact.recipeKind,
    base_model: artifact.baseModel,
    concept_id: artifact.conceptId,
    version_id: artifact.versionId,
    artifact_hash: artifactHashOf(artifact),
    archive_hash: artifact.archiveSha256,
    cid: artifact.cid,
    manifest: artifact.manifestHash,
    signature: artifact.signature,
    eval_set_hash: artifact.evalSetHash ?? null,
    k_score: artifact.kScore,
    ...(interval && { k_interval: interval }),
    ...(leaves && { leaves }),
    ...(figures && { figures }),
    ...productionOf(evaluation, artifact),
    ...reviewOf(artifact),
    ...(accepted && { accepted }),
    holdout_count: artifact.holdoutCount,
    bytes: artifact.sizeBytes,
    size_mb: megabytes(artifact.sizeBytes),
    created_at: artifact.createdAt.toISOString(),
    signed_at: artifact.signedAt.toISOString(),
    expires_at: artifact.expiresAt?.toISOString() ?? null,
    download_url: `/v1/artifacts/${artifact.id}/download`,
  }
}

const params = z.object({ id: ArtifactId })

export const listArtifactsRoute = defineRoute({
  method: 'get',
  path: '/v1/artifacts',
  operationId: 'listArtifacts',
  group: 'artifacts',
  summary: 'List the artifacts of the tenant, newest first',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  query: (limits) =>
    pageOf(50)(limits).extend({
      version_id: z
        .string()
        .max(64)
        .optional()
        .meta({ description: 'Only the artifact of this version; `n` counts all artifacts' }),
    }),
  answers: { 200: envelope('One page', ListArtifactsAnswer) },
  errors: ['invalid_cursor', 'not_found'],
}).handle(async ({ op, query }) => {
  const [page, total] = await Promise.all([
    listArtifacts(op, { ...query, version: query.version_id }),
    countArtifacts(op),
  ])
  if (query.version_id !== undefined && page.items.length === 0) {
    throw KERNEL_ERRORS.not_found('no artifact has this version')
  }
  return {
    status: 200,
    body: { artifacts: page.items.map(presentArtifact), n: total, next_cursor: page.nextCursor },
  }
})

export const getArtifactRoute = defineRoute({
  method: 'get',
  path: '/v1/artifacts/{id}',
  operationId: 'getArtifact',
  group: 'artifacts',
  summary: 'Show an artifact',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  params,
  answers: {
    200: envelope('The artifact', GetArtifactAnswer),
  },
  errors: ['not_ready'],
}).handle(async ({ op, params: { id } }) => {
  const { artifact, job } = await findArtifactOf(op, id)
  const { certificate, on_doubt: onDoubt } = presentDoubt(artifact.evaluation)
  return {
    status: 200,
    body: {
      ...presentArtifact(artifact),
      certificate: certificate ?? null,
      on_doubt: onDoubt ?? null,
      origin: {
        examples_n: job.rowCount,
        dataset_hash: job.datasetHash,
        ...presentEarlierJob(job),
        ...presentCaptures(job, artifact.forgottenCaptures),
      },
      stored_reports: [...(await storedReportKinds(op, artifact.cid))],
      in_words: inWordsOf(artifact),
      hashes: artifact.manifest['hashes'] ?? {},
      receipt: artifact.receipt,
    },
  }
})

/** The artifact with its job, or why the job has none: a job that is not done is no unknown id. */
async function findArtifactOf(op: Parameters<typeof findArtifact>[0], id: string) {
  const job = await findJob(op, id)
  if (job.status === 'ready') return { artifact: await findArtifact(op, id), job }
  throw COMPILE_ERRORS.not_ready(`the job is ${job.status}`, {
    details: { status: job.status, progress: Math.round(job.progress) },
  })
}

export const downloadArtifactRoute = defineRoute({
  method: 'get',
  path: '/v1/artifacts/{id}/download',
  operationId: 'downloadArtifact',
  group: 'artifacts',
  summary: 'Download the signed archive',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  params,
  answers: ARCHIVE_ANSWERS,
  errors: ARCHIVE_ERRORS,
}).handle(async (call) => await download(call, call.params.id))

export const getEvidenceTraceRoute = defineRoute({
  method: 'get',
  path: '/v1/artifacts/{id}/evidence-trace',
  operationId: 'getEvidenceTrace',
  group: 'artifacts',
  summary: 'Show the evidence graph of an artifact',
  description: 'Edges lead from a dependent to its dependency.',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  params,
  answers: {
    200: envelope('The graph as it was written by the compile', GetEvidenceTraceAnswer),
  },
  errors: ['evidence_dag_not_found'],
}).handle(async ({ op, params: { id } }) => {
  await findJob(op, id)
  const dag = await findDag(op, id)
  if (dag === null) throw COMPILE_ERRORS.evidence_dag_not_found('no evidence graph was recorded')
  return {
    status: 200,
    body: {
      artifact_id: id,
      dag: {
        spec: 'svc-evidence-dag-1',
        nodes: dag.nodes.map((node) => ({ ...node })),
        edges: dag.edges.map(({ from, to, relationship }) => ({ from, to, relationship })),
      },
    },
  }
})

export const findByCidRoute = defineRoute({
  method: 'get',
  path: '/v1/cid/{cid}',
  operationId: 'findByCid',
  group: 'artifacts',
  summary: 'List the artifacts of the tenant with a CID',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  params: z.object({
    cid: z
      .string()
      .refine((text) => isCid(text), { error: 'must have the form cidv1:sha256:<64 lower-case hex digits>' })
      .meta({ example: `cidv1:sha256:${'0'.repeat(64)}` }),
  }),
  fieldCodes: { cid: 'invalid_cid' },
  answers: { 200: envelope('Newest first', FindByCidAnswer) },
  errors: ['invalid_cid'],
}).handle(async ({ op, params: { cid } }) => {
  const artifacts = await findByCid(op, cid)
  if (artifacts.length === 0) throw KERNEL_ERRORS.not_found('no artifact has this CID')
  return { status: 200, body: { cid, n: artifacts.length, artifacts: artifacts.map(presentArtifact) } }
})

export const verifyManifestRoute = defineRoute({
  method: 'post',
  path: '/v1/artifact/verify-manifest',
  limit: CHECKS,
  operationId: 'verifyManifest',
  group: 'artifacts',
  summary: 'Recompute a CID from hashes',
  description:
    'SHA-256 over the RFC 8785 form of `{"hashes": {member: digest}}`. With the whole `manifest`, also whether its table, ' +
    'hashes, entry, class and score agree. A disagreement is an answer, not an error.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  body: VerifyManifestBody,
  answers: {
    200: envelope('Whether the hashes give the claimed CID', VerifyManifestAnswer),
  },
  errors: ['invalid_cid', 'invalid_hashes'],
}).handle(async ({ body }) => {
  const claimed = body.cid ?? body.claimed_cid
  if (claimed === undefined) throw invalidField('cid', 'is required')
  const ofManifest = isJsonObject(body.manifest) ? body.manifest['hashes'] : undefined
  const hashes = body.hashes ?? body.manifest_hashes ?? ofManifest
  if (hashes === undefined) throw invalidField('hashes', 'is required', COMPILE_ERRORS.invalid_hashes)
  return { status: 200, body: verifyManifest(claimed, hashes, body.manifest) }
})
