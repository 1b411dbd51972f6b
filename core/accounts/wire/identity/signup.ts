import { z } from 'zod'
import { Email } from '../email.ts'
import { plansWith } from '../../../kernel/tenant/plans.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { TenantView } from '../../../kernel/wire/tenant.ts'

/** Body of `POST /v1/signup`. */
export const SignUpBody = z.object({
  email: Email,
  name: textUpTo(100).optional(),
  plan: z.enum(plansWith('isSelfServe')).default('free'),
})

/** Answer of `POST /v1/signup`. */
export const SignUpAnswer = z.object({
  tenant: TenantView,
  api_key: z.string().meta({ description: 'Shown only once' }),
  billing_url: z.string().nullable(),
  billing_required: z.boolean(),
})
