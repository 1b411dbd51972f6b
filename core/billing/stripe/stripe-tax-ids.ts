import type Stripe from 'stripe'
import { askStripe } from './stripe-failures.ts'
import { normalizeVatNumber } from '../tax.ts'

/** Stripe's VAT types among the accepted ones. */
const VAT_KINDS = ['eu_vat', 'gb_vat', 'ch_vat', 'no_vat'] as const

/** A VAT number as Stripe writes it. */
interface StripeTaxId {
  readonly type: (typeof VAT_KINDS)[number]
  readonly value: string
}

/** Makes a VAT number the customer's only one; null removes it. Idempotent. */
export async function pushTaxId(stripe: Stripe, customerId: string, vatNumber: string | null): Promise<void> {
  const wanted = vatNumber === null ? null : stripeTaxId(vatNumber)
  const { data } = await askStripe(() => stripe.customers.listTaxIds(customerId, { limit: 100 }))
  const known = data.filter(({ type }) => VAT_KINDS.some((kind) => kind === type))
  const isWanted = (taxId: Stripe.TaxId): boolean =>
    wanted !== null &&
    taxId.type === wanted.type &&
    normalizeVatNumber(taxId.value) === normalizeVatNumber(wanted.value)
  if (wanted !== null && !known.some(isWanted)) {
    await askStripe(() => stripe.customers.createTaxId(customerId, wanted))
  }
  // Only now: a number that is refused leaves the customer with the one before.
  for (const taxId of known.filter((each) => !isWanted(each))) {
    await askStripe(() => stripe.customers.deleteTaxId(customerId, taxId.id))
  }
}

/** Stripe lists Norway's numbers without the country, Switzerland's with points and a suffix. */
export function stripeTaxId(vatNumber: string): StripeTaxId {
  const number = vatNumber.slice(2)
  switch (vatNumber.slice(0, 2)) {
    case 'GB':
      return { type: 'gb_vat', value: vatNumber }
    case 'NO':
      return { type: 'no_vat', value: number }
    case 'CH': {
      const [, one, two, three, suffix] = /^E(\d{3})(\d{3})(\d{3})(\w*)$/.exec(number) ?? []
      return { type: 'ch_vat', value: `CHE-${one}.${two}.${three} ${suffix || 'MWST'}` }
    }
    default:
      return { type: 'eu_vat', value: vatNumber }
  }
}
