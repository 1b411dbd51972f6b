import { z } from 'zod'
import { CaptureId } from '../../../core/gateway/wire/captures/fields.ts'
import {
  type BULK_ACTIONS,
  BulkCapturesAnswer,
  BulkCapturesBody,
  ReviewCaptureAnswer,
  ReviewCaptureBody,
  ReviewCapturesAnswer,
  ReviewCapturesBody,
} from '../../../core/gateway/wire/captures/reviews.ts'
import { forgetCaptures } from '../../../db/gateway/captures/forget/forget-captures.ts'
import { redactCaptures, type ChangedCaptures } from '../../../db/gateway/captures/forget/redact-captures.ts'
import { reviewCapture, reviewCaptures } from '../../../db/gateway/captures/review-captures.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type GatewayServices } from '../services.ts'
import { requireAccess } from './access.ts'
import { rulesReader } from './recording/record.ts'

/** Facts that the routes of reviews share. */
const REVIEWS = {
  method: 'post',
  group: 'captures',
  auth: 'key',
  scope: 'capture:write',
  namespace: 'bounded',
  idempotency: 'kernel',
  stores: 'bounded',
} as const

export const reviewCaptureRoute = defineRoute({
  ...REVIEWS,
  path: '/v1/captures/{id}/review',
  operationId: 'reviewCapture',
  summary: 'Approve, reject or quarantine a capture',
  description:
    'Any decision may be revised. `fixed_output` is the right output: examples, datasets and exports use it in place of the response. It and the reason are redacted as the namespace says, and refused with 451 where the namespace blocks. Rejected and quarantined captures are never learned from. A line in the audit ledger records each decision.',
  bodyLimit: 'capture_review_bytes',
  params: z.object({ id: CaptureId }),
  body: ReviewCaptureBody,
  answers: { 200: envelope('The state after the decision', ReviewCaptureAnswer) },
  errors: ['not_found', 'capture_forgotten', 'capture_without_content', 'privacy_blocked', 'forbidden'],
})
  .authorize(async ({ op, principal }) => {
    await requireAccess({ op, principal }, 'capture:write')
  })
  .handle(async ({ op, services, params, body }) => {
    const { action, reason, fixed_output: fixedOutput } = body
    const status = await reviewCapture(op, {
      id: params.id,
      action,
      reason,
      fixedOutput,
      rulesOf: rulesReader(services, op),
    })
    return { status: 200, body: { capture_id: params.id, status, action } }
  })

export const reviewCapturesRoute = defineRoute({
  ...REVIEWS,
  path: '/v1/captures/review-bulk',
  operationId: 'reviewCaptures',
  summary: 'Review several captures',
  description: 'As `POST /v1/captures/{id}/review`, with one decision for all. Unknown ids are reported.',
  body: ReviewCapturesBody,
  answers: { 200: envelope('What became of them', ReviewCapturesAnswer) },
  errors: ['privacy_blocked', 'forbidden'],
})
  .authorize(async ({ op, principal }) => {
    await requireAccess({ op, principal }, 'capture:write')
  })
  .handle(async ({ op, services, body: { ids, action, reason } }) => {
    const review = { ids, action, reason, rulesOf: rulesReader(services, op) }
    const { status, updated, notFound, forgotten } = await reviewCaptures(op, review)
    return {
      status: 200,
      body: {
        status,
        action,
        updated_count: updated.length,
        not_found: [...notFound],
        forgotten: [...forgotten],
        requested: ids.length,
      },
    }
  })

export const bulkCapturesRoute = defineRoute({
  ...REVIEWS,
  path: '/v1/capture/bulk',
  operationId: 'bulkCaptures',
  summary: 'Approve, reject, redact or delete several captures',
  description:
    '`redact` removes sensitive data from the stored texts and keeps the review state; the chain still verifies, and reports how many contents were rewritten. `delete` forgets the captures, as `POST /v1/captures/forget` does. Both need the scope `privacy:write` and the role admin.',
  body: BulkCapturesBody,
  answers: { 200: envelope('What became of them', BulkCapturesAnswer) },
  errors: ['privacy_blocked', 'forbidden'],
})
  .authorize(async ({ op, principal, body }) => {
    const isReview = body.action === 'approve' || body.action === 'reject'
    await requireAccess({ op, principal }, 'capture:write')
    if (!isReview) await requireAccess({ op, principal }, 'privacy:configure')
  })
  .handle(async ({ op, services, body: { action, capture_ids: ids, reason } }) => {
    const done = await apply(op, services, { action, ids, reason })
    return {
      status: 200,
      body: {
        action,
        requested: ids.length,
        processed: done.updated.length,
        not_found: [...done.notFound],
        forgotten: [...done.forgotten],
        applied_at: op.now().toISOString(),
      },
    }
  })

/** Applies an action to captures. */
async function apply(
  op: Operation,
  services: Pick<GatewayServices, 'signingKeys' | 'captureLearners' | 'namespaces'>,
  bulk: {
    readonly action: (typeof BULK_ACTIONS)[number]
    readonly ids: readonly string[]
    readonly reason: string | undefined
  },
): Promise<ChangedCaptures> {
  const { action, ids, reason } = bulk
  const { signingKeys, captureLearners: learners } = services
  switch (action) {
    case 'approve':
    case 'reject': {
      return await reviewCaptures(op, { ids, action, reason, rulesOf: rulesReader(services, op) })
    }
    case 'redact': {
      return await redactCaptures(op, ids)
    }
    case 'delete': {
      return await forgetCaptures(op, { ids, reason: reason ?? 'other', signer: signingKeys.current, learners })
    }
  }
}
