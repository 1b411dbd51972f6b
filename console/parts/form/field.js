import { html } from 'htm/preact'
import { useContext, useId } from 'preact/hooks'
import { FieldErrors } from './field-errors.js'
/** @typedef {readonly (readonly [value: string, label: string])[]} Options */
/**
 * @typedef {object} FieldProps
 * @property {string} label
 * @property {string} name
 * @property {string} [hint] below the control
 * @property {string} [of] the field of the call that the control fills, when it is not `name`
 * @property {'input' | 'textarea' | 'select'} [as]
 * @property {Options} [options] of a `select`
 * @property {string} [chosen] the option that is chosen at first
 * @property {string} [id]
 */

/**
 * A control with its label, a hint below it, and what the service says is wrong with its value. Other properties are
 * those of the control.
 *
 * @param {FieldProps & Record<string, unknown>} props
 */
export function Field({ label, name, hint, of = name, as = 'input', options = [], chosen, id: given, ...rest }) {
  const made = useId()
  const error = useContext(FieldErrors).get(of)
  // A dialog may hold a field with the name of one on the page below it.
  const id = given ?? `field-${made}`
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  const control = {
    ...rest,
    id,
    name,
    'aria-describedby': described,
    'aria-invalid': error === undefined ? undefined : 'true',
  }
  const listed = options.map(
    ([value, text]) => html`<option key=${value} value=${value} selected=${value === chosen}>${text}</option>`,
  )
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <${as} ...${control}>${as === 'select' ? listed : undefined}<//>
    ${error && html`<p class="wrong" id="${id}-error">${error}</p>`}
    ${hint && html`<p class="quiet" id="${id}-hint">${hint}</p>`}
  </div>`
}

/**
 * A box to tick, with its label behind it.
 *
 * @param {{ label: string, name: string } & Record<string, unknown>} props
 */
export function Choice({ label, ...rest }) {
  return html`<label class="choice"><input type="checkbox" ...${rest} />${label}</label>`
}
