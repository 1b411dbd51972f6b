import { z } from 'zod'
import { CaptureId } from '../../../core/gateway/wire/captures/fields.ts'
import {
  ListObservationsAnswer,
  ListObservationsQuery,
  UpdateObservationAnswer,
  UpdateObservationBody,
} from '../../../core/learn/wire/bridges.ts'
import { REVIEW_STATUSES, type ReviewDecision, type ReviewStatus } from '../../../core/gateway/captures/review.ts'
import { listCaptures, type ListedCapture } from '../../../db/gateway/captures/list-captures.ts'
import { reviewCapture } from '../../../db/gateway/captures/review-captures.ts'
import { observedNamespaces, promotedTo } from '../../../db/learn/traffic/observations.ts'
import { requireAccess } from '../../gateway/captures/access.ts'
import { rulesReader, THRESHOLDS } from '../../gateway/captures/recording/record.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

/** States of captures that a review has discarded. */
const DISCARDED: ReadonlySet<ReviewStatus> = new Set(['rejected', 'quarantined'])
const USABLE = REVIEW_STATUSES.filter((status) => !DISCARDED.has(status))
/** Calls of a namespace that are enough to distill a model. */
const DISTILLABLE = Math.max(...THRESHOLDS)

export const listObservationsRoute = defineRoute({
  method: 'get',
  path: '/v1/bridges/observations',
  operationId: 'listObservations',
  group: 'bridges',
  summary: 'List observed calls, newest first',
  description:
    'Captures of every source: calls through the gateway, logs, imports and `POST /v1/bridges/observe`. Discarded ones are left out unless `include_discarded` is 1; forgotten ones are in no list.',
  auth: 'key',
  scope: 'capture:read',
  orScopes: ['lake:read'],
  namespace: 'bounded',
  query: ListObservationsQuery,
  answers: { 200: envelope('A page', ListObservationsAnswer) },
  errors: ['invalid_cursor', 'forbidden'],
})
  .authorize(async ({ op, principal, query }) => {
    await requireAccess({ op, principal }, 'capture:read', query.namespace)
  })
  .handle(async ({ op, query }) => {
    const { namespace, limit, cursor, since, include_discarded: includesDiscarded = false } = query
    const filter = {
      namespace,
      from: since === undefined ? undefined : new Date(since),
      ...(!includesDiscarded && { statuses: USABLE }),
    }
    const page = await listCaptures(op, filter, { limit, cursor, countsTotal: true })
    const promoted = await promotedTo(
      op,
      page.items.map(({ id }) => id),
    )
    const namespaces = await observedNamespaces(op)
    return {
      status: 200,
      body: {
        total: page.total,
        namespaces: namespaces.map((observed) => observed.namespace),
        ready_to_distill: namespaces.filter(({ pairs }) => pairs >= DISTILLABLE),
        since_applied: since ?? null,
        observations: page.items.map((capture) => presentObservation(capture, promoted.get(capture.id) ?? null)),
        next_cursor: page.nextCursor,
      },
    }
  })

function presentObservation(capture: ListedCapture, promotedRecipeId: string | null) {
  const { latencyUs, status } = capture
  return {
    id: capture.id,
    namespace: capture.namespace,
    source: capture.source,
    model: capture.model,
    template_hash: capture.template,
    input_excerpt: capture.promptPreview,
    output_excerpt: capture.responsePreview,
    latency_ms: latencyUs === null ? null : latencyUs / 1000,
    created_at: capture.at.toISOString(),
    discarded: DISCARDED.has(status),
    kept: status === 'approved',
    promoted_recipe_id: promotedRecipeId,
  }
}

export const updateObservationRoute = defineRoute({
  method: 'post',
  path: '/v1/bridges/observations/{observation_id}',
  operationId: 'updateObservation',
  group: 'bridges',
  summary: 'Discard, keep or restore an observed call',
  description:
    'A review of the capture: `discarded` rejects it, `kept` approves it, and false of either lets it wait for a review again. A compile takes approved captures only. A line in the audit ledger records each decision.',
  auth: 'key',
  scope: 'capture:write',
  namespace: 'bounded',
  idempotency: 'kernel',
  stores: 'bounded',
  params: z.object({ observation_id: CaptureId }),
  body: UpdateObservationBody,
  answers: { 200: envelope('The observation after the change', UpdateObservationAnswer) },
  errors: ['not_found', 'capture_forgotten', 'forbidden'],
})
  .authorize(async ({ op, principal }) => {
    await requireAccess({ op, principal }, 'capture:write')
  })
  .handle(async ({ op, services, params: { observation_id: id }, body: { discarded, kept } }) => {
    const action: ReviewDecision = discarded === true ? 'reject' : kept === true ? 'approve' : 'restore'
    const status = await reviewCapture(op, { id, action, rulesOf: rulesReader(services, op) })
    return { status: 200, body: { id, discarded: DISCARDED.has(status), kept: status === 'approved', status } }
  })
