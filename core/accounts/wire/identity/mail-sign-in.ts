import { z } from 'zod'
import { Email } from '../email.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { Plan } from '../../../kernel/wire/tenant.ts'

/** Body of `POST /v1/auth/email/start`. */
export const StartEmailSignInBody = z.object({
  email: Email,
  mode: z.enum(['sign_in', 'recover']).default('sign_in'),
  redirect: z.string().max(1000).optional().meta({ description: 'Path to go to afterwards' }),
  org: textUpTo(100)
    .optional()
    .meta({ description: 'Id or name of the organisation, for an address that belongs to several' }),
})

/** Answer of `POST /v1/auth/email/start`. */
export const StartEmailSignInAnswer = z.object({ expires_in_s: z.int().meta({ description: 'Life of the link' }) })

/** Body of `POST /v1/auth/email/confirm`. */
export const ConfirmEmailBody = z.object({ token: z.string().min(1).max(200) })

/** Answer of `POST /v1/auth/email/confirm`. */
export const ConfirmEmailAnswer = z.object({
  did: z.enum(['verified', 'signed_in', 'recovered']),
  tenant: z.object({ id: z.string(), name: z.string(), plan: Plan }),
  api_key: z.string().nullable(),
  redirect: z.string(),
})

/** Answer of `POST /v1/account/email/verify`. */
export const VerifyEmailAnswer = z.object({ email: z.string(), already_verified: z.boolean() })
