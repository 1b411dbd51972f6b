import { z } from 'zod'
import { VerifyCapturesAnswer } from '../../../core/gateway/wire/captures/captures.ts'
import { CaptureNamespace } from '../../../core/gateway/wire/captures/fields.ts'
import { verifyCaptures } from '../../../db/gateway/captures/verify-captures.ts'
import { DEFAULT_NAMESPACE } from '../../../db/billing/usage/charged-to.ts'
import { namespaceForNew } from '../../../db/kernel/namespaces/bounds.ts'
import { bareDocument } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { requireAccess, requireKnownNamespace } from './access.ts'
import { presentVerified } from './present-capture.ts'

export const verifyCapturesRoute = defineRoute({
  method: 'get',
  path: '/v1/captures/verify',
  operationId: 'verifyCaptures',
  group: 'captures',
  summary: 'Verify the chain of captures of a namespace',
  description:
    'Computes the hash of each row, compares each content with its hashes, and checks the signed checkpoints. Contents that were forgotten, left out for lack of storage, or redacted later, are not compared. A namespace in which nothing was captured, and that has no settings, is 404. One check at a time for an account.',
  auth: 'key',
  scope: 'capture:read',
  orScopes: ['lake:read'],
  namespace: 'bounded',
  query: z.object({ namespace: CaptureNamespace.optional() }),
  answers: { 200: bareDocument('The result', VerifyCapturesAnswer) },
  errors: ['rate_limited', 'forbidden', 'not_found'],
})
  .authorize(async ({ op, principal, query }) => {
    await requireAccess({ op, principal }, 'capture:read', query.namespace)
    await requireKnownNamespace(op, query.namespace)
  })
  .handle(async ({ op, services, query }) => {
    const asked = { namespace: query.namespace ?? null, continued: null }
    const namespace = namespaceForNew(op, asked) ?? DEFAULT_NAMESPACE
    const leave = services.streams.enter(`checks of captures of ${op.tenantId}`, 1)
    try {
      return { status: 200, body: presentVerified(namespace, await verifyCaptures(op, namespace)) }
    } finally {
      leave()
    }
  })
