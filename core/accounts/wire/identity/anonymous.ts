import { z } from 'zod'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { TenantView } from '../../../kernel/wire/tenant.ts'
import { Email } from '../email.ts'

/** Body of `POST /v1/anon/bootstrap`. */
export const BootstrapAnonymousBody = z.object({
  user_agent: textUpTo(300).optional().meta({ description: 'Not kept' }),
  hostname: textUpTo(300).optional().meta({ description: 'Not kept' }),
})

/** Answer of `POST /v1/anon/bootstrap`. */
export const BootstrapAnonymousAnswer = z.object({
  anon_token: z.string().meta({ description: 'Shown only once' }),
  tenant_id: z.string(),
  kind: z.literal('anon'),
  expires_at: z.iso.datetime(),
  quota: z.int(),
  hint: z.string(),
})

/** Answer of `POST /v1/anon/claim`. */
export const ClaimAnonymousAnswer = z.object({
  mode: z.enum(['upgraded', 'merged']),
  api_key: z.string().nullable().meta({
    description: 'The new key of an upgraded workspace; after a merge the key that the caller sent, if any',
  }),
  key_prefix: z.string().nullable().meta({ description: 'How the key begins that opens the tenant' }),
  tenant: TenantView,
})

/** Body of `POST /v1/anon/claim`. */
export const ClaimAnonymousBody = z.object({
  anon_token: z.string().min(1).max(200).optional().meta({
    description: 'May be left out in a call with the session or token of the workspace itself',
  }),
  email: Email,
  name: textUpTo(100).optional(),
  code: z.string().min(1).max(64).optional(),
  send_code: z.boolean().default(false),
})

/** Answer of `POST /v1/anon/claim` with status 202. */
export const ClaimCodeSent = z.object({ expires_in_s: z.int() })
