import { z } from 'zod'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordDownload } from '../../../db/compile/artifacts/record-download.ts'
import { openShareLink, type OpenedShareLink } from '../../../db/compile/across/open-share-link.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import { downloadBlob } from '../../kernel/reply/blob-download.ts'
import { toSha256 } from '../../kernel/reply/digest.ts'
import { namesTag } from '../../kernel/reply/kept-answers.ts'
import { type CallFacts, defineRoute } from '../services.ts'
import { LINK_ERRORS, LINK_HEADERS, LINK_LIMIT, LinkToken } from './link-terms.ts'
import { linkErrorPage } from './page/error-page.ts'
import { drawPicture } from './picture/draw-picture.ts'
import { presentReport, presentShared } from './present.ts'

/** Longest time for which a cache may keep the picture of a link, seconds. */
const PICTURE_MAX_AGE_S = 300

export const openSharedPartRoute = defineRoute({
  method: 'get',
  path: '/r/{token}/{part}',
  operationId: 'openSharedPart',
  group: 'health',
  summary: 'Download a part of a share link',
  description:
    '`report`: how the artifact was measured, as JSON. `archive`: the signed `.svc`; ranges as in a download. `picture.png`: a picture of 1200 x 630 with name, kind and K-score, for previews of the link.',
  auth: 'public',
  scope: undefined,
  limit: LINK_LIMIT,
  params: z.object({ token: LinkToken, part: z.string().max(40).meta({ example: 'report' }) }),
  answers: {
    200: rawAnswer('The part, under its own media type', '*/*'),
    206: rawAnswer('The piece of the archive that `Range` asks for', 'application/zip'),
    304: rawAnswer('`If-None-Match` names the archive or the picture', 'application/zip'),
    416: rawAnswer('`Range` asks for what is not there', 'application/zip'),
  },
  errors: LINK_ERRORS,
  errorPage: linkErrorPage,
}).handle(async ({ services, requestId, request, params }) => {
  const link = await openShareLink(services.db, { token: params.token, requestId, now: services.now })
  if (params.part === 'report') {
    const headers = { ...LINK_HEADERS, 'Content-Type': 'application/json; charset=utf-8' }
    return { status: 200, headers, raw: { kind: 'bytes', bytes: JSON.stringify(presentReport(link.artifact)) } }
  }
  if (params.part === 'picture.png') return await pictureOf(services, link, request)
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
  return { ...reply, headers: { ...reply.headers, ...LINK_HEADERS, 'Content-Type': 'application/zip' } }
}

/** The picture of a link. Pages of other origins may show it, as previews do; a cache keeps it no longer than the link lives. */
async function pictureOf(services: CallFacts['services'], link: OpenedShareLink, request: CallFacts['request']) {
  const { png, digest } = await services.shared.pictures.render(drawPicture(presentShared(link, null, '')))
  const leftS = Math.floor((link.expiresAt.getTime() - services.now().getTime()) / 1000)
  const etag = `"${digest}"`
  const headers = {
    ...LINK_HEADERS,
    'Content-Type': 'image/png',
    'Cache-Control': `public, max-age=${Math.max(0, Math.min(PICTURE_MAX_AGE_S, leftS))}`,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ETag: etag,
  }
  if (namesTag(request.headers['if-none-match'], etag)) {
    return { status: 304, headers, raw: { kind: 'empty' } } as const
  }
  return { status: 200, headers, raw: { kind: 'bytes', bytes: png } } as const
}
