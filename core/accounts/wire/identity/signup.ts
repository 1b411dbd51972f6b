import { z } from 'zod'
import { Email } from '../email.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { TenantView } from '../../../kernel/wire/tenant.ts'

/** The plans that sign-up offers; `business` is agreed with people. */
const SELF_SERVE_PLAN_IDS = ['free', 'starter', 'pro', 'teams', 'enterprise'] as const

/** Body of `POST /v1/signup`. */
export const SignUpBody = z.object({
  email: Email,
  name: textUpTo(100).optional(),
  plan: z.enum(SELF_SERVE_PLAN_IDS).default('free'),
})

/** Answer of `POST /v1/signup`. */
export const SignUpAnswer = z.object({
  tenant: TenantView,
  api_key: z.string().meta({ description: 'Shown this once' }),
  billing_url: z.string().nullable(),
  billing_required: z.boolean(),
})
