import { z } from 'zod'
import { createShareLink } from '../../../db/compile/share-links/create-share-link.ts'
import { listShareLinks } from '../../../db/compile/share-links/list-share-links.ts'
import { revokeShareLink } from '../../../db/compile/share-links/revoke-share-link.ts'
import type { ShareLink } from '../../../db/compile/share-links/share-link.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import {
  CreateShareLinkAnswer,
  createShareLinkBody,
  ListShareLinksAnswer,
  RevokeShareLinkAnswer,
  ShareLinkId,
  type ShareLinkView,
} from '../../../core/compile/wire/share/links.ts'
import { defineRoute } from '../services.ts'

function presentLink(link: ShareLink, now: Date): z.input<typeof ShareLinkView> {
  const isRevoked = link.revokedAt !== null && link.revokedAt !== undefined
  return {
    id: link.id,
    kind: link.kind,
    target_id: link.targetId,
    state: isRevoked ? 'revoked' : link.expiresAt <= now ? 'expired' : 'live',
    opened: link.openedCount,
    allow_run: link.runLimit > 0,
    runs: link.runCount,
    runs_left: Math.max(0, link.runLimit - link.runCount),
    created_by: link.createdBy,
    created_at: link.createdAt.toISOString(),
    expires_at: link.expiresAt.toISOString(),
  }
}

export const createShareLinkRoute = defineRoute({
  method: 'post',
  path: '/v1/share-links',
  operationId: 'createShareLink',
  group: 'artifacts',
  summary: 'Make a link to an artifact or its report',
  description:
    'Opening the link needs no key. Only this answer shows the link. It expires, or ends when it is revoked. With `allow_run` its page runs the artifact on inputs of its visitors, charged to your quota; the key needs the scope `run` for it.',
  auth: 'key',
  scope: 'artifacts:export',
  namespace: 'bounded',
  stores: 'bounded',
  idempotency: 'kernel',
  body: createShareLinkBody,
  answers: { 201: envelope('The link', CreateShareLinkAnswer) },
  errors: ['not_found', 'not_ready', 'k_score_below_floor', 'artifact_expired', 'artifact_revoked'],
}).handle(async ({ op, services, body }) => {
  const made = await createShareLink(op, {
    kind: body.kind,
    artifactId: body.target_id,
    days: body.days,
    runLimit: body.allow_run ? services.limits.share_link_runs : 0,
  })
  return {
    status: 201,
    body: { id: made.id, url: `${services.publicUrl()}/r/${made.token}`, expires_at: made.expiresAt.toISOString() },
  }
})

export const listShareLinksRoute = defineRoute({
  method: 'get',
  path: '/v1/share-links',
  operationId: 'listShareLinks',
  group: 'artifacts',
  summary: 'List the share links of the tenant, newest first',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  query: pageOf(50),
  answers: { 200: envelope('One page', ListShareLinksAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, services, query }) => {
  const page = await listShareLinks(op, query)
  return {
    status: 200,
    body: {
      share_links: page.items.map((link) => presentLink(link, services.now())),
      next_cursor: page.nextCursor,
    },
  }
})

export const revokeShareLinkRoute = defineRoute({
  method: 'delete',
  path: '/v1/share-links/{id}',
  operationId: 'revokeShareLink',
  group: 'artifacts',
  summary: 'End a link at once',
  auth: 'key',
  scope: 'artifacts:export',
  namespace: 'bounded',
  params: z.object({ id: ShareLinkId }),
  answers: { 200: envelope('The link has ended', RevokeShareLinkAnswer) },
}).handle(async ({ op, params }) => {
  await revokeShareLink(op, params.id)
  return { status: 200, body: { id: params.id } }
})
