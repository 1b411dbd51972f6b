import { z } from 'zod'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { CaptureNamespace } from '../../../core/gateway/wire/captures/fields.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { GateId } from '../../../core/kernel/wire/ids.ts'
import { gateBody, GateView, ListGatesAnswer, PostedGateAnswer } from '../../../core/learn/wire/gates.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { findGate, listGates } from '../../../db/learn/gates/find-gate.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { decideOnEvaluations, isOfEvaluations } from './evaluations.ts'
import { isMeasured, startGate } from './measured.ts'
import { decidePosted } from './posted.ts'
import { presentGate } from './present-gate.ts'

export const evalGateRoute = defineRoute({
  method: 'post',
  path: '/v1/eval/gate',
  operationId: 'evalGate',
  group: 'eval',
  summary: 'Decide whether a candidate may replace a baseline',
  description: (limits) =>
    `Posted numbers are decided at once and never signed (\`measured: false\`): K-scores by thresholds, or, with \`significance\`, the scores of cases (\`per_case\`, up to ${limits.gate_posted_parts} numbers together) by paired tests. Two evaluations are paired by row and decided at once, with a signed receipt, by McNemar's exact test. Two artifacts are scored on the same rows, which answers 202: on all rows of a sealed holdout (\`corpus_id\`), which answers promote or not and nothing else, or one after another on up to ${limits.gate_rows} rows (\`rows\`, \`rows_of\`, or else the rows of kind \`test\` of both compiles) until the evidence suffices. Thresholds, data, test and level are in the audit ledger before the first row is scored; the receipt names them. Rows that an artifact learned from are left out; a holdout with such rows is refused. Scoring costs one unit for each ${limits.gate_unit_rows} rows.`,
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  bodyLimit: 'inline_body_bytes',
  partsLimit: 'gate_posted_parts',
  longLists: ['rows'],
  idempotency: 'kernel',
  stores: 'blobs',
  body: gateBody,
  answers: {
    200: envelope('The decision on posted numbers', PostedGateAnswer),
    201: envelope('The gate is decided on evaluations', GateView),
    202: envelope('The gate is registered and will be scored', GateView),
  },
  errors: [
    'eval_gate_failed',
    'sealed_rows',
    'no_rows',
    'too_many_rows',
    'rows_expired',
    'holdout_revealed',
    'holdout_busy',
    'holdout_exhausted',
    'forbidden',
    'not_found',
    'not_ready',
    'k_score_below_floor',
    'artifact_revoked',
    'artifact_expired',
    'too_many_running_jobs',
    'quota_exhausted',
    'storage_allowance_used',
    'busy',
  ],
}).handle(async (call) => {
  const { op, body } = call
  if (isOfEvaluations(body)) {
    requireAccount(call.principal)
    const decided = await decideOnEvaluations(call)
    return { status: 201, body: presentGate(await findGate(op, decided)) }
  }
  if (!isMeasured(body)) return { status: 200, body: await decidePosted(call, body) }
  requireAccount(call.principal)
  const id = await startGate(call)
  return { status: 202, body: presentGate(await findGate(op, id)) }
})

export const listGatesRoute = defineRoute({
  method: 'get',
  path: '/v1/eval/gates',
  operationId: 'listGates',
  group: 'eval',
  summary: 'List measured gates, newest first',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  query: (limits) => pageOf(20)(limits).extend({ namespace: CaptureNamespace.optional() }),
  answers: { 200: envelope('One page', ListGatesAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const { items, nextCursor } = await listGates(op, query)
  return { status: 200, body: { gates: items.map(presentGate), count: items.length, next_cursor: nextCursor } }
})

export const getGateRoute = defineRoute({
  method: 'get',
  path: '/v1/eval/gates/{id}',
  operationId: 'getGate',
  group: 'eval',
  summary: 'Show a measured gate as it stands',
  auth: 'key',
  scope: 'eval:read',
  namespace: 'bounded',
  params: z.object({ id: GateId }),
  answers: { 200: envelope('The gate', GateView) },
}).handle(async ({ op, params }) => ({ status: 200, body: presentGate(await findGate(op, params.id)) }))

/** Throws `forbidden` for an anonymous workspace: what is sealed for it could not follow it into an account. */
export function requireAccount({ kind }: Pick<Principal, 'kind'>): void {
  if (kind === 'anonymous') throw ACCOUNTS_ERRORS.forbidden('this needs an account; claim the workspace first')
}
