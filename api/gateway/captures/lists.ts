import { z } from 'zod'
import {
  BrowseCapturesAnswer,
  BrowseCapturesQuery,
  type CaptureFilterQuery,
  ListCapturesAnswer,
  ListCapturesQuery,
} from '../../../core/gateway/wire/captures/reads.ts'
import { CaptureDetail } from '../../../core/gateway/wire/captures/captures.ts'
import { CaptureId } from '../../../core/gateway/wire/captures/fields.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { getCapture } from '../../../db/gateway/captures/get-capture.ts'
import { listCaptures } from '../../../db/gateway/captures/list-captures.ts'
import type { CaptureFilter } from '../../../db/gateway/captures/read-columns.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { requireAccess } from './access.ts'
import { presentCapture, presentWholeCapture } from './present-capture.ts'

/** Facts that the routes which read captures share. */
const READS = {
  method: 'get',
  group: 'captures',
  auth: 'key',
  scope: 'capture:read',
  orScopes: ['lake:read'],
  namespace: 'bounded',
} as const

/** The filter that a query selects. */
export function filterOf(query: CaptureFilterQuery): CaptureFilter {
  return {
    namespace: query.namespace,
    statuses: query.status,
    sources: query.source,
    riskMin: query.risk_min,
    riskMax: query.risk_max,
    pii: query.pii,
    from: query.from === undefined ? undefined : new Date(query.from),
    to: query.to === undefined ? undefined : new Date(query.to),
    q: query.q,
  }
}

export const listCapturesRoute = defineRoute({
  ...READS,
  path: '/v1/captures/list',
  operationId: 'listCaptures',
  summary: 'List captures, newest first',
  description:
    'Captured calls and logged pairs that match every filter. `status` and `pii` take several words with commas. `q` finds a text in prompts and responses. Forgotten captures are left out.',
  query: ListCapturesQuery,
  answers: { 200: envelope('A page', ListCapturesAnswer) },
  errors: ['invalid_cursor', 'forbidden'],
})
  .authorize(async ({ op, principal, query }) => {
    await requireAccess({ op, principal }, 'capture:read', query.namespace)
  })
  .handle(async ({ op, query }) => {
    const { limit, offset, cursor } = query
    const page = await listCaptures(op, filterOf(query), { limit, offset, cursor, countsTotal: true })
    return {
      status: 200,
      body: {
        total: page.total,
        limit,
        offset,
        captures: page.items.map((capture) => presentCapture(capture)),
        next_cursor: page.nextCursor,
      },
    }
  })

export const browseCapturesRoute = defineRoute({
  ...READS,
  path: '/v1/capture/browse',
  operationId: 'browseCaptures',
  summary: 'Page through captures, newest first',
  description: 'As `GET /v1/captures/list`, by namespace alone and with larger pages.',
  query: BrowseCapturesQuery,
  answers: { 200: envelope('A page', BrowseCapturesAnswer) },
  errors: ['invalid_cursor', 'forbidden'],
})
  .authorize(async ({ op, principal, query }) => {
    await requireAccess({ op, principal }, 'capture:read', query.namespace)
  })
  .handle(async ({ op, query }) => {
    const { limit, offset, cursor, namespace } = query
    const page = await listCaptures(op, { namespace }, { limit, offset, cursor, countsTotal: true })
    const captures = page.items.map((capture) => ({ ...presentCapture(capture), capture_id: capture.id }))
    return {
      status: 200,
      body: {
        count: captures.length,
        total: page.total,
        limit,
        offset,
        namespace: namespace ?? null,
        captures,
        next_cursor: page.nextCursor,
      },
    }
  })

export const inspectCaptureRoute = defineRoute({
  ...READS,
  path: '/v1/captures/{id}/inspect',
  operationId: 'inspectCapture',
  summary: 'Show a capture with all that is stored of it',
  description:
    'Prompt, response, the body as it was sent on, receipt, risk with its parts, and the place in the chain. A forgotten capture is unknown; `GET /v1/captures/forgotten` has its certificate.',
  params: z.object({ id: CaptureId }),
  answers: { 200: envelope('The capture', z.object({ capture: CaptureDetail })) },
  errors: ['not_found', 'forbidden'],
})
  .authorize(async ({ op, principal }) => {
    await requireAccess({ op, principal }, 'capture:read')
  })
  .handle(async ({ op, params }) => {
    const capture = await getCapture(op, params.id)
    if (capture.forgottenAt !== null) throw KERNEL_ERRORS.not_found('no such capture')
    return { status: 200, body: { capture: presentWholeCapture(capture) } }
  })
