import { z } from 'zod'
import { PAID_PLAN_IDS, type PerPlan } from '../../core/billing/price-table.ts'

/** Stripe account of the operator that customers pay into. */
export interface StripeEnvironment {
  /** Absent: only payment links can be paid. */
  readonly secretKey?: string
  /** Verifies Stripe's webhooks; without it every event is refused. */
  readonly webhookSecret?: string
  /** Ids of recurring prices. */
  readonly prices: PerPlan
  /** Payment links for plans that have no price. */
  readonly links: PerPlan
  /** Another address of Stripe's interface, for tests. */
  readonly apiUrl?: string
}

const isHttp = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** A JSON object from plan to something, out of its text. */
const byPlan = (value: z.ZodType<string>, error: string) =>
  z.string().transform((text, context): PerPlan => {
    const parsed = z.partialRecord(z.enum(PAID_PLAN_IDS), value).safeParse(parseOrNull(text))
    if (parsed.success) return parsed.data
    context.addIssue({ code: 'custom', message: `must be a JSON object from ${PAID_PLAN_IDS.join(', ')} to ${error}` })
    return z.NEVER
  })

/** The variables of Stripe, as part of the environment's schema. */
export const STRIPE_VARIABLES = {
  SVC_STRIPE_SECRET_KEY: z.string().min(8, { error: 'must have at least 8 characters' }).optional(),
  SVC_STRIPE_WEBHOOK_SECRET: z.string().min(8, { error: 'must have at least 8 characters' }).optional(),
  SVC_STRIPE_PRICES: byPlan(z.string().regex(/^price_\w+$/), 'ids of prices').default({}),
  SVC_STRIPE_LINKS: byPlan(z.string().refine(isHttp), 'addresses of payment links').default({}),
  SVC_STRIPE_API_URL: z
    .string()
    .refine(isHttp, { error: 'must be an address that starts with http:// or https://' })
    .optional(),
}

type StripeVariables = z.output<z.ZodObject<typeof STRIPE_VARIABLES>>

/** The account at Stripe, where anything of it is set. */
export function readStripe(variables: StripeVariables): StripeEnvironment | undefined {
  const {
    SVC_STRIPE_SECRET_KEY: secretKey,
    SVC_STRIPE_WEBHOOK_SECRET: webhookSecret,
    SVC_STRIPE_PRICES: prices,
    SVC_STRIPE_LINKS: links,
    SVC_STRIPE_API_URL: apiUrl,
  } = variables
  const isEmpty = Object.keys(links).length === 0 && Object.keys(prices).length === 0
  if (secretKey === undefined && webhookSecret === undefined && isEmpty) return undefined
  return {
    prices,
    links,
    ...(secretKey !== undefined && { secretKey }),
    ...(webhookSecret !== undefined && { webhookSecret }),
    ...(apiUrl !== undefined && { apiUrl }),
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
