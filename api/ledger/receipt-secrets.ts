import { listReceiptSecrets } from '../../db/ledger/receipt-secrets/list-secrets.ts'
import { pruneReceiptSecret } from '../../db/ledger/receipt-secrets/prune-secret.ts'
import { rotateReceiptSecret } from '../../db/ledger/receipt-secrets/rotate-secret.ts'
import { envelope } from '../kernel/reply/answers.ts'
import {
  ListReceiptSecretsAnswer,
  PruneReceiptSecretAnswer,
  PruneReceiptSecretBody,
  RotateReceiptSecretAnswer,
} from '../../core/ledger/wire/receipt-secrets.ts'
import { defineRoute } from './services.ts'

export const listReceiptSecretsRoute = defineRoute({
  method: 'get',
  path: '/v1/account/receipt-secrets',
  operationId: 'listReceiptSecrets',
  group: 'accounts',
  summary: 'List the receipt secrets, without their values',
  auth: 'key',
  scope: 'receipts:read',
  namespace: 'refused',
  answers: {
    200: envelope('The current one, and those whose receipts can still be verified', ListReceiptSecretsAnswer),
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
  summary: 'Create a new receipt secret',
  description: 'The previous secret stays in the ring until it is pruned, so that its receipts can be verified.',
  auth: 'key',
  scope: 'receipts:write',
  namespace: 'refused',
  stores: 'bounded',
  answers: { 200: envelope('The new one', RotateReceiptSecretAnswer) },
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
  summary: 'Destroy a previous receipt secret',
  description: 'Verifying a receipt of this secret then answers 410. The current secret cannot be destroyed.',
  auth: 'key',
  scope: 'receipts:write',
  namespace: 'refused',
  stores: 'bounded',
  body: PruneReceiptSecretBody,
  answers: { 200: envelope('Done', PruneReceiptSecretAnswer) },
  errors: ['unknown_receipt_key', 'cannot_prune_current_key'],
}).handle(async ({ op, services, body: { key_id: keyId } }) => {
  const { remainingCount } = await pruneReceiptSecret(op, { keyId })
  services.receiptSecrets.forget(op.tenantId)
  return { status: 200, body: { pruned: keyId, remaining_count: remainingCount } }
})
