import {
  ForgetBegunAnswer,
  ForgetCapturesAnswer,
  ForgetCapturesBody,
  ForgottenAnswer,
  ForgottenQuery,
  MOST_AT_ONCE,
  type Marker,
} from '../../../core/gateway/wire/captures/forgets.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { beginForget } from '../../../db/gateway/captures/forget/begin-forget.ts'
import type { CertifiedCapture } from '../../../db/gateway/captures/forget/certificates.ts'
import { forgetCaptures } from '../../../db/gateway/captures/forget/forget-captures.ts'
import { listForgets, listForgotten, type ListedForget } from '../../../db/gateway/captures/forget/list-forgotten.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { requireAccess } from './access.ts'

export const forgetCapturesRoute = defineRoute({
  method: 'post',
  path: '/v1/captures/forget',
  operationId: 'forgetCaptures',
  group: 'captures',
  summary: 'Erase captures',
  description:
    'Names captures by id, or all that hold a `subject` or match a `pattern`. Their texts, bodies, files and search entries are erased; a row with hashes stays, so that the chain still verifies, and each gets a signed certificate. Up to 500 ids are erased before the answer. More ids, a subject or a pattern are left to a workflow (202): `GET /v1/captures/forgotten` shows its progress. A subject or a pattern is also put on the forget list: it is redacted in every later call, and never sent or stored again. Stored conversations that hold it are erased too, without a certificate: the request counts them, and the audit log names them. Forgetting is repeatable: a forgotten capture keeps its certificate. Needs the scope `privacy:write` and the role admin.',
  auth: 'key',
  scope: 'privacy:write',
  orScopes: ['team:admin'],
  namespace: 'bounded',
  idempotency: 'kernel',
  stores: 'bounded',
  body: ForgetCapturesBody,
  answers: {
    200: envelope('The erased captures with their certificates', ForgetCapturesAnswer),
    202: envelope('The work has begun', ForgetBegunAnswer),
  },
  errors: ['not_found', 'forbidden', 'limit_reached'],
})
  .authorize(async ({ op, principal, body }) => {
    await requireAccess({ op, principal }, 'privacy:configure', body.namespace)
  })
  .handle(async ({ op, services, body }) => {
    const { reason, namespace, subject, pattern } = body
    const ids = body.capture_id === undefined ? (body.capture_ids ?? []) : [body.capture_id]
    if (subject !== undefined || pattern !== undefined || ids.length > MOST_AT_ONCE) {
      const forget = await beginForget(op, {
        kind: subject !== undefined ? 'subject' : pattern !== undefined ? 'pattern' : 'ids',
        ids: ids.length === 0 ? null : ids,
        sought: subject ?? pattern ?? null,
        reason,
        namespace: namespace ?? null,
        most: services.limits.capture_forgets_per_tenant,
      })
      return { status: 202, body: { forget: presentForget(forget) } }
    }
    const done = await forgetCaptures(op, {
      ids,
      reason,
      namespace,
      signer: services.signingKeys.current,
      learners: services.captureLearners,
    })
    if (body.capture_id !== undefined && done.notFound.length > 0) throw KERNEL_ERRORS.not_found('no such capture')
    return {
      status: 200,
      body: {
        count: done.updated.length,
        idempotent_hit: done.updated.length === 0 && done.forgotten.length > 0,
        markers: done.certificates.map((each) => presentMarker(each)),
        not_found: [...done.notFound],
        requires_redistill: done.certificates.some(
          ({ certificate }) => certificate['derived_artifacts_status'] === 'redistill_required',
        ),
        version: 'svc-forget-1',
      },
    }
  })

export const listForgottenRoute = defineRoute({
  method: 'get',
  path: '/v1/captures/forgotten',
  operationId: 'listForgottenCaptures',
  group: 'captures',
  summary: 'List forgotten captures with their certificates, newest first',
  description: 'And the requests to forget many, with their progress.',
  auth: 'key',
  scope: 'capture:read',
  orScopes: ['lake:read', 'privacy:write'],
  namespace: 'bounded',
  query: ForgottenQuery,
  answers: { 200: envelope('A page', ForgottenAnswer) },
  errors: ['invalid_cursor', 'forbidden'],
})
  .authorize(async ({ op, principal, query }) => {
    await requireAccess({ op, principal }, 'capture:read', query.namespace)
  })
  .handle(async ({ op, query }) => {
    const [page, forgets] = await Promise.all([listForgotten(op, query), listForgets(op)])
    return {
      status: 200,
      body: {
        n: page.items.length,
        markers: page.items.map((each) => presentMarker(each)),
        next_cursor: page.nextCursor,
        forgets: forgets.map((each) => presentForget(each)),
        version: 'svc-forget-1',
      },
    }
  })

function presentMarker(marker: CertifiedCapture): Marker {
  return {
    capture_id: marker.captureId,
    capture_id_hash: textIn(marker.certificate, 'capture_id_hash'),
    forgotten_at: marker.forgottenAt.toISOString(),
    reason: marker.reason,
    requested_by: marker.requestedBy,
    audit_event_id: marker.id,
    namespace: marker.namespace,
    tombstone_hash: textIn(marker.certificate, 'tombstone_hash'),
    deletion_certificate: marker.certificate,
  }
}

function textIn(certificate: JsonObject, member: string): string {
  const value: Json | undefined = isJsonObject(certificate) ? certificate[member] : undefined
  return typeof value === 'string' ? value : ''
}

function presentForget(forget: ListedForget) {
  return {
    forget_id: forget.id,
    kind: forget.kind,
    namespace: forget.namespace,
    state: forget.state,
    forgotten: forget.forgotten,
    conversations: forget.conversations,
    reason: forget.reason,
    created_at: forget.createdAt.toISOString(),
    finished_at: forget.finishedAt?.toISOString() ?? null,
  }
}
