import type Stripe from 'stripe'
import { askStripe } from './stripe-failures.ts'

/** Stripe's kinds of the VAT numbers that we take, by prefix; every other prefix is one of the European Union. */
const KINDS = { GB: 'gb_vat', CH: 'ch_vat', NO: 'no_vat' } as const
const VAT_KINDS: ReadonlySet<string> = new Set(['eu_vat', ...Object.values(KINDS)])

/** Makes a VAT number the only one of a customer; null takes it away. Repeating it changes nothing. */
export async function pushTaxId(
  stripe: Stripe,
  customerId: string,
  vatNumber: string | null,
  idempotencyKey: string,
): Promise<void> {
  const { data } = await askStripe(() => stripe.customers.listTaxIds(customerId, { limit: 100 }))
  const known = data.filter(({ type }) => VAT_KINDS.has(type))
  for (const taxId of known) {
    if (taxId.value !== vatNumber) await askStripe(() => stripe.customers.deleteTaxId(customerId, taxId.id))
  }
  if (vatNumber === null || known.some(({ value }) => value === vatNumber)) return
  await askStripe(() =>
    stripe.customers.createTaxId(
      customerId,
      { type: kindOf(vatNumber), value: vatNumber },
      { idempotencyKey: `${idempotencyKey}/tax-id` },
    ),
  )
}

function kindOf(vatNumber: string): 'eu_vat' | 'gb_vat' | 'ch_vat' | 'no_vat' {
  const prefix = vatNumber.slice(0, 2)
  return prefix === 'GB' || prefix === 'CH' || prefix === 'NO' ? KINDS[prefix] : 'eu_vat'
}
