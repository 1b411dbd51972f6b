import { countRows } from '../../../core/compile/wire/given-rows.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { StoreHoldoutAnswer, storeHoldoutBody } from '../../../core/learn/wire/holdouts.ts'
import { chargedTo } from '../../../db/billing/usage/charged-to.ts'
import { namespaceForNew } from '../../../db/kernel/namespaces/bounds.ts'
import { serviceKey } from '../../../db/kernel/secrets/service-secrets.ts'
import { attemptsByLineage } from '../../../db/learn/holdouts/find-holdout.ts'
import { storeHoldout } from '../../../db/learn/holdouts/store-holdout.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { requireAccount } from '../gates/gate.ts'
import { presentHoldout } from './present-holdout.ts'

export const storeHoldoutRoute = defineRoute({
  method: 'post',
  path: '/v1/eval/tenant_holdout',
  operationId: 'storeHoldout',
  group: 'eval',
  summary: 'Seal a holdout',
  description: (limits) =>
    `Stores up to ${limits.holdout_rows} rows that nothing may learn from, encrypted at rest. No answer, log, export or error holds one of them until you reveal the holdout: only gates read them, and answer promote or not. A compile whose examples contain one is refused with the count. A holdout that repeats the rows of earlier ones is the same holdout under another name; one that repeats revealed rows is refused. Costs one unit for each ${limits.holdout_unit_bytes} bytes.`,
  auth: 'key',
  scope: 'eval:write',
  namespace: 'bounded',
  limit: { name: 'holdout-uploads', limit: 'holdout_uploads_per_ip_minute', windowS: 60, counts: 'calls' },
  bodyLimit: 'inline_body_bytes',
  longLists: ['rows'],
  idempotency: 'kernel',
  stores: 'blobs',
  body: storeHoldoutBody,
  answers: { 201: envelope('The holdout is sealed', StoreHoldoutAnswer) },
  errors: [
    'forbidden',
    'holdout_exists',
    'holdout_revealed',
    'holdout_too_large',
    'limit_reached',
    'quota_exhausted',
    'storage_allowance_used',
    'busy',
  ],
}).handle(async ({ op, principal, services, body, whenKept }) => {
  requireAccount(principal)
  const { limits } = services
  const count = countRows(body.rows)
  if (count === 0) throw invalidField('rows', 'must have at least one row')
  if (count > limits.holdout_rows) {
    throw LEARN_ERRORS.holdout_too_large(
      `rows: a holdout has at most ${limits.holdout_rows} rows; this one has ${count}`,
    )
  }
  const namespace = namespaceForNew(op, { namespace: body.namespace ?? null, continued: null })
  const { secret } = await serviceKey(op.db, 'fingerprint', op.db)
  const given = { tenantId: op.tenantId, secret, rowBytes: limits.example_bytes }
  let refund: () => void = () => undefined
  let units = 0
  const corpus = await storeHoldout(op, {
    name: body.corpus_id.toLowerCase(),
    namespace,
    tags: body.tags,
    metadata: body.metadata,
    replace: body.replace,
    limits,
    prepare: async (salt) => {
      const prepared = await services.learnThread.corpus(body.rows, { ...given, salt })
      units = Math.max(1, Math.ceil(prepared.bytes.length / limits.holdout_unit_bytes))
      const charge = await services.meter.take(principal, units)
      refund = () => charge.refund()
      return prepared
    },
  }).catch((error: unknown) => {
    refund()
    throw error
  })
  const record = {
    tenantId: op.tenantId,
    chargedTo: { ...chargedTo(principal), ...(namespace !== null && { namespace }) },
    units,
  }
  whenKept(() => services.invocations.recordEvent(record), refund)
  return {
    status: 201,
    body: {
      ...presentHoldout(corpus, (await attemptsByLineage(op)).get(corpus.lineageId) ?? []),
      tenant_id: op.tenantId,
      next: 'POST /v1/eval/gate with candidate_artifact, baseline_artifact and this corpus_id decides on these rows',
    },
  }
})
