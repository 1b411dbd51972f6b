import { z } from 'zod'

const SecretId = z.string().meta({ description: 'Id of a receipt secret, as receipts name it in `key_id`' })

/** Answer of `GET /v1/account/receipt-secrets`. */
export const ListReceiptSecretsAnswer = z.object({
  current: z.object({ key_id: SecretId, rotated_at: z.iso.datetime(), status: z.literal('current') }).nullable(),
  previous: z.array(
    z.object({ key_id: SecretId, retired_at: z.iso.datetime().nullable(), status: z.literal('previous') }),
  ),
  pruned: z.array(z.object({ key_id: SecretId, pruned_at: z.iso.datetime().nullable(), status: z.literal('pruned') })),
  total: z.int().meta({ description: 'Secrets that are there: the current one and the previous ones' }),
})

/** Answer of `POST /v1/account/rotate-receipt-secret`. */
export const RotateReceiptSecretAnswer = z.object({
  key_id: SecretId,
  rotated_at: z.iso.datetime(),
  previous_count: z.int(),
})

/** Body of `POST /v1/account/receipt-secret/prune`. */
export const PruneReceiptSecretBody = z.object({ key_id: z.string().min(1).max(100) })

/** Answer of `POST /v1/account/receipt-secret/prune`. */
export const PruneReceiptSecretAnswer = z.object({ pruned: SecretId, remaining_count: z.int() })
