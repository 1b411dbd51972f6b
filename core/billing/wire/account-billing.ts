import { z } from 'zod'
import { Plan } from '../../kernel/wire/tenant.ts'
import { BILLING_STATUSES } from '../../kernel/tenant/billing-status.ts'
import { InvoiceView } from './invoices.ts'
import { COUNTRY_CODES } from '../tax.ts'

/** The tax fields of an account. */
export const TaxView = z
  .object({
    vat_number: z.string().nullable(),
    tax_id: z.string().nullable(),
    company_name: z.string().nullable(),
    country_code: z.string().nullable(),
  })
  .meta({ id: 'TaxFields', description: 'Invoice details' })

/** Answer of `GET /v1/account/billing`. */
export const GetBillingAnswer = z.object({
  tenant_id: z.string(),
  email: z.string().nullable(),
  plan: z.object({
    id: Plan,
    label: z.string(),
    price_label: z.string(),
    quota: z.int(),
    seats: z.int(),
  }),
  billing_status: z.enum(BILLING_STATUSES),
  pending_plan: Plan.nullable(),
  granted_plan: Plan.nullable().meta({ description: 'Granted by the operator, without a payment' }),
  current_period_end: z.iso.datetime().nullable(),
  cancel_at_period_end: z.boolean(),
  credit_balance_cents: z.int().meta({ description: 'Your credit at the payment processor' }),
  tax: TaxView.extend({ note: z.string().nullable().meta({ description: 'The reason' }) }),
  portal_available: z.boolean(),
  packages: z.array(z.never()).meta({ description: 'One-time products; none are sold here' }),
  subscriptions: z.array(
    z.object({
      id: z.string(),
      plan: Plan.nullable(),
      status: z.string(),
      current_period_end: z.iso.datetime().nullable(),
      ends_at: z.iso.datetime().nullable(),
    }),
  ),
  invoices: z.array(InvoiceView),
  dunning: z.array(
    z.object({
      id: z.string(),
      attempt: z.int().meta({ description: 'Steps that were taken' }),
      status: z.string(),
      next_step_at: z.iso.datetime().nullable(),
      subscription_id: z.string(),
      invoice_id: z.string(),
    }),
  ),
})

const NO_CONTROLS = new RegExp(String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`)

/** A field of a change: set, unchanged when absent, removed when null or empty. */
const field = (maxLength: number) =>
  z
    .string()
    .trim()
    .max(maxLength)
    .regex(NO_CONTROLS, { error: 'must not hold control characters' })
    .transform((text) => (text === '' ? null : text))
    .nullable()
    .optional()

const country = (description: string) =>
  field(2).meta({ description, override: { anyOf: [{ enum: ['', ...COUNTRY_CODES] }, { type: 'null' }] } })

/** Body of `PATCH /v1/account/billing`. */
export const UpdateBillingBody = z.object({
  vat_number: field(32).meta({ description: 'With its country in front, such as `DE123456789`' }),
  tax_id: field(64),
  company_name: field(120),
  country_code: country('ISO 3166-1, two letters'),
  tax_country: country('Another name of `country_code`'),
})

/** Answer of `PATCH /v1/account/billing`. */
export const UpdateBillingAnswer = z.object({ tax: TaxView })

/** Answer of `POST /v1/account/billing/portal`. */
export const OpenBillingPortalAnswer = z.object({ portal_url: z.string() })
