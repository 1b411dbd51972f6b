import { z } from 'zod'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import type { Artifact } from '../../../db/compile/artifacts/artifact.ts'
import { recordDownload } from '../../../db/compile/artifacts/record-download.ts'
import { countOpening, openShareLink, type OpenedShareLink } from '../../../db/compile/across/open-share-link.ts'
import { downloadBlob } from '../../kernel/reply/blob-download.ts'
import { toSha256 } from '../../kernel/reply/digest.ts'
import { bareDocument, rawAnswer } from '../../kernel/reply/answers.ts'
import { artifactHashOf } from '../jobs/present-job.ts'
import { acceptedOf } from '../../../core/compile/wire/jobs/explain/acceptance.ts'
import { figuresOf } from '../../../core/compile/wire/jobs/figures.ts'
import { productionOf } from '../../../core/compile/wire/jobs/explain/production.ts'
import { kIntervalOf } from '../../../core/compile/wire/jobs/k-interval.ts'
import { SharedView } from '../../../core/compile/wire/share/open.ts'
import { inWordsOf } from '../../../core/compile/wire/facts/in-words.ts'
import { defineRoute, type CallFacts } from '../services.ts'

/** A person may forward a link; search engines and caches must not keep its page. */
const HEADERS = {
  'X-Robots-Tag': 'noindex, nofollow',
  'Cache-Control': 'private, no-store',
  'Referrer-Policy': 'no-referrer',
} as const

const Token = z.string().max(200).meta({ example: '0123456789abcdefghjkmnpqrs.t4wabc.00' })

/** Opening a link needs no key, and each opening writes a row, so the number per address is limited. */
const LIMIT = { name: 'share', limit: 'share_calls_per_ip_minute', windowS: 60, counts: 'calls' } as const

const ERRORS = ['share_link_expired', 'artifact_expired', 'artifact_revoked'] as const

export const openShareLinkRoute = defineRoute({
  method: 'get',
  path: '/r/{token}',
  operationId: 'openShareLink',
  group: 'health',
  summary: 'Show the content of a share link',
  description: 'The token is the only proof; keys and cookies are ignored.',
  auth: 'public',
  scope: undefined,
  limit: LIMIT,
  params: z.object({ token: Token }),
  answers: { 200: bareDocument('The artifact, and the parts that the link hands out', SharedView) },
  errors: ERRORS,
}).handle(async ({ services, requestId, params }) => {
  const link = await openShareLink(services.db, { token: params.token, requestId, now: services.now })
  await countOpening(link)
  const path = `${services.publicUrl()}/r/${params.token}`
  return { status: 200, headers: HEADERS, body: presentShared(link, path) }
})

function presentShared({ kind, artifact, expiresAt }: OpenedShareLink, path: string): z.input<typeof SharedView> {
  return {
    kind,
    name: artifact.name,
    recipe_kind: artifact.recipeKind,
    k_score: artifact.kScore,
    k_interval: kIntervalOf(envelopeOf(artifact)) ?? null,
    figures: figuresOf(envelopeOf(artifact)) ?? null,
    ...productionOf(artifact.evaluation),
    accepted: acceptedOf(artifact.evaluation) ?? null,
    in_words: inWordsOf(artifact),
    holdout_count: artifact.holdoutCount,
    cid: artifact.cid,
    artifact_hash: artifactHashOf(artifact),
    archive_hash: artifact.archiveSha256,
    bytes: artifact.sizeBytes,
    signed_at: artifact.signedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    parts: [
      { name: 'report', url: `${path}/report` },
      ...(kind === 'artifact' ? [{ name: 'archive' as const, url: `${path}/archive` }] : []),
    ],
  }
}

function envelopeOf(artifact: Artifact): Json | undefined {
  const evaluation = artifact.evaluation
  return isJsonObject(evaluation) ? evaluation['k_score_envelope'] : undefined
}

export const openSharedPartRoute = defineRoute({
  method: 'get',
  path: '/r/{token}/{part}',
  operationId: 'openSharedPart',
  group: 'health',
  summary: 'Download a part of a share link',
  description:
    '`report`: how the artifact was measured, as JSON. `archive`: the signed `.svc`; ranges as in a download.',
  auth: 'public',
  scope: undefined,
  limit: LIMIT,
  params: z.object({ token: Token, part: z.string().max(40).meta({ example: 'report' }) }),
  answers: {
    200: rawAnswer('The part, under its own media type', '*/*'),
    206: rawAnswer('The piece of the archive that `Range` asks for', 'application/zip'),
    304: rawAnswer('`If-None-Match` names the archive', 'application/zip'),
    416: rawAnswer('`Range` asks for what is not there', 'application/zip'),
  },
  errors: ERRORS,
}).handle(async ({ services, requestId, request, params }) => {
  const link = await openShareLink(services.db, { token: params.token, requestId, now: services.now })
  if (params.part === 'report') {
    const headers = { ...HEADERS, 'Content-Type': 'application/json; charset=utf-8' }
    return { status: 200, headers, raw: { kind: 'bytes', bytes: JSON.stringify(presentReport(link.artifact)) } }
  }
  if (params.part === 'archive' && link.kind === 'artifact') return await downloadShared(link, request)
  throw KERNEL_ERRORS.not_found('this link hands out no such part')
})

async function downloadShared({ artifact, op }: OpenedShareLink, request: CallFacts['request']) {
  const reply = await downloadBlob(op.db, request, {
    sha256: toSha256(artifact.archiveSha256),
    sizeBytes: artifact.sizeBytes,
    fileName: `${artifact.id}.svc`,
    audit: async (part) => await recordDownload(op, { artifactId: artifact.id, part }),
  })
  return { ...reply, headers: { ...reply.headers, ...HEADERS, 'Content-Type': 'application/zip' } }
}

/** Presents the evaluation of an artifact and the digests of its data, without rows and without its owner. */
function presentReport(artifact: Artifact) {
  const evaluation = isJsonObject(artifact.evaluation) ? artifact.evaluation : {}
  return {
    schema: 'svc-shared-report-1',
    name: artifact.name,
    recipe_kind: artifact.recipeKind,
    base_model: artifact.baseModel,
    k_score: artifact.kScore,
    k_interval: kIntervalOf(envelopeOf(artifact)) ?? null,
    figures: figuresOf(envelopeOf(artifact)) ?? null,
    ...productionOf(artifact.evaluation),
    accepted: acceptedOf(artifact.evaluation) ?? null,
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
