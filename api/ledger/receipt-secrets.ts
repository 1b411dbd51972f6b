import { z } from 'zod'
import { listReceiptSecrets } from '../../db/ledger/receipt-secrets/list-secrets.ts'
import { pruneReceiptSecret } from '../../db/ledger/receipt-secrets/prune-secret.ts'
import { rotateReceiptSecret } from '../../db/ledger/receipt-secrets/rotate-secret.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { defineRoute } from '../kernel/route.ts'

const SecretId = z.string().meta({ description: 'Id of a receipt secret, as receipts name it in `key_id`' })

export const listReceiptSecretsRoute = defineRoute({
  method: 'get',
  path: '/v1/account/receipt-secrets',
  operationId: 'listReceiptSecrets',
  group: 'accounts',
  summary: 'The ring of receipt secrets, without the secrets',
  auth: 'key',
  scope: 'receipts:read',
  namespace: 'refused',
  answers: {
    200: envelope(
      'The current one, and those whose receipts can still be verified',
      z.object({
        current: z.object({ key_id: SecretId, rotated_at: z.iso.datetime(), status: z.literal('current') }).nullable(),
        previous: z.array(
          z.object({ key_id: SecretId, retired_at: z.iso.datetime().nullable(), status: z.literal('previous') }),
        ),
        pruned: z.array(
          z.object({ key_id: SecretId, pruned_at: z.iso.datetime().nullable(), status: z.literal('pruned') }),
        ),
        total: z.int().meta({ description: 'Secrets that are there: the current one and the previous ones' }),
      }),
    ),
  },
}).handle(async ({ op }) => {
  const { live, pruned } = await listReceiptSecrets(op)
  const current = live.find(({ state }) => state === 'current')
  const previous = live.filter(({ state }) => state === 'previous')
  return {
    status: 200,
    body: {
      current:
        current === undefined
          ? null
          : { key_id: current.id, rotated_at: current.createdAt.toISOString(), status: 'current' },
      previous: previous.map((secret) => ({
        key_id: secret.id,
        retired_at: secret.retiredAt?.toISOString() ?? null,
        status: 'previous' as const,
      })),
      pruned: pruned.map((secret) => ({
        key_id: secret.id,
        pruned_at: secret.prunedAt?.toISOString() ?? null,
        status: 'pruned' as const,
      })),
      total: previous.length + (current === undefined ? 0 : 1),
    },
  }
})

export const rotateReceiptSecretRoute = defineRoute({
  method: 'post',
  path: '/v1/account/rotate-receipt-secret',
  operationId: 'rotateReceiptSecret',
  group: 'accounts',
  summary: 'Make a new receipt secret',
  description: 'The one before it stays in the ring until it is pruned, so that its receipts can be verified.',
  auth: 'key',
  scope: 'receipts:write',
  namespace: 'refused',
  stores: 'bounded',
  answers: {
    200: envelope('The new one', z.object({ key_id: SecretId, rotated_at: z.iso.datetime(), previous_count: z.int() })),
  },
  errors: ['too_many_keys'],
}).handle(async ({ op, services }) => {
  const { keyId, rotatedAt, previousCount } = await rotateReceiptSecret(op, { limits: services.limits })
  services.receiptSecrets.forget(op.tenantId)
  return {
    status: 200,
    body: { key_id: keyId, rotated_at: rotatedAt.toISOString(), previous_count: previousCount },
  }
})

export const pruneReceiptSecretRoute = defineRoute({
  method: 'post',
  path: '/v1/account/receipt-secret/prune',
  operationId: 'pruneReceiptSecret',
  group: 'accounts',
  summary: 'Destroy a previous receipt secret for good',
  description: 'Receipts that were made with it answer 410 from then on. The current one cannot be destroyed.',
  auth: 'key',
  scope: 'receipts:write',
  namespace: 'refused',
  stores: 'bounded',
  body: z.object({ key_id: z.string().min(1).max(100) }),
  answers: { 200: envelope('Done', z.object({ pruned: SecretId, remaining_count: z.int() })) },
  errors: ['unknown_receipt_key', 'cannot_prune_current_key'],
}).handle(async ({ op, services, body: { key_id: keyId } }) => {
  const { remainingCount } = await pruneReceiptSecret(op, { keyId })
  services.receiptSecrets.forget(op.tenantId)
  return { status: 200, body: { pruned: keyId, remaining_count: remainingCount } }
})
