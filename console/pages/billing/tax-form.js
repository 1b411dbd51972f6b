import { call } from '../../api.js'
import { element, say } from '../../parts/dom.js'
import { actionForm, field } from '../../parts/form.js'

/** @typedef {import('zod').output<typeof import('../../../core/billing/wire/account-billing.ts').TaxView>} Tax */

/**
 * The form of the fields on invoices.
 *
 * @param {Tax} tax
 * @param {() => void} reload
 */
export function taxForm(tax, reload) {
  const text = (/** @type {keyof Tax} */ name, /** @type {number} */ maxlength) =>
    element('input', { name, maxlength, value: tax[name] ?? '', autocomplete: 'off' })
  const company = text('company_name', 120)
  const country = text('country_code', 2)
  const vat = text('vat_number', 32)
  const other = text('tax_id', 64)
  return actionForm({
    title: 'On invoices',
    fields: [
      element(
        'div',
        { class: 'columns' },
        field('Company', company),
        field('Country', country, 'Two letters, such as DE.'),
        field('VAT number', vat, 'With its country in front.'),
        field('Other tax id', other),
      ),
    ],
    action: 'Save',
    async perform() {
      await call('PATCH', '/v1/account/billing', {
        company_name: company.value,
        country_code: country.value,
        vat_number: vat.value,
        tax_id: other.value,
      })
      say('Invoices carry that from the next one on.')
      reload()
    },
  })
}
