import { html } from 'htm/preact'
import { call } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { say } from '../../parts/say.js'

/** @typedef {import('zod').output<typeof import('../../../core/billing/wire/account-billing.ts').TaxView>} Tax */

/** @type {readonly { name: keyof Tax, label: string, maxlength: number, hint?: string }[]} */
const FIELDS = [
  { name: 'company_name', label: 'Company', maxlength: 120 },
  { name: 'country_code', label: 'Country', maxlength: 2, hint: 'Two letters, such as DE.' },
  {
    name: 'vat_number',
    label: 'VAT number',
    maxlength: 32,
    hint: 'Starts with the country code, such as DE123456789.',
  },
  { name: 'tax_id', label: 'Other tax id', maxlength: 64 },
]

/**
 * The form of the fields on invoices.
 *
 * @param {{ tax: Tax }} props
 */
export function TaxForm({ tax }) {
  const { reload } = usePage()
  const save = async (/** @type {FormData} */ data) => {
    await call('PATCH', '/v1/account/billing', Object.fromEntries(FIELDS.map(({ name }) => [name, data.get(name)])))
    say('The next invoice will have these details.')
    reload()
  }
  return html`<${Form} title="Invoice details" action="Save" perform=${save}>
    <div class="columns">
      ${FIELDS.map(
        (field) =>
          html`<${Field} key=${field.name} ...${field} defaultValue=${tax[field.name] ?? ''} autocomplete="off" />`,
      )}
    </div>
  <//>`
}
