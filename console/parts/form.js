import { errorBox } from './error.js'
import { element } from './dom.js'
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

let fields = 0

/**
 * A field of a form with its label, and a hint below it.
 *
 * @param {string} label
 * @param {Control} input
 * @param {string} [hint]
 */
export function field(label, input, hint) {
  // A dialog may hold a field with the name of one on the page below it.
  const id = input.id || `field-${++fields}`
  input.id = id
  if (hint !== undefined) input.setAttribute('aria-describedby', `${id}-hint`)
  return element(
    'div',
    { class: 'field' },
    element('label', { for: id }, label),
    input,
    hint === undefined ? undefined : element('p', { class: 'quiet', id: `${id}-hint` }, hint),
  )
}

/**
 * A box to tick, with its label behind it.
 *
 * @param {string} label
 * @param {HTMLInputElement} input
 */
export function choice(label, input) {
  return element('label', { class: 'choice' }, input, label)
}

/**
 * A list to choose from.
 *
 * @param {Record<string, string | boolean | undefined>} attributes
 * @param {readonly (readonly [value: string, label: string])[]} options
 * @param {string} [chosen]
 */
export function select(attributes, options, chosen) {
  const made = options.map(([value, label]) => element('option', { value, selected: value === chosen }, label))
  return element('select', attributes, ...made)
}

/**
 * A form with one action; its errors show above its button.
 *
 * @param {{ title?: string, fields: readonly Node[], action: string,
 *   perform: (form: HTMLFormElement) => Promise<unknown> }} input
 */
export function actionForm({ title, fields: content, action, perform }) {
  const trouble = element('div')
  const go = element('button', { type: 'submit', class: 'primary' }, action)
  const heading = title === undefined ? undefined : element('h2', {}, title)
  const form = element('form', { class: 'card' }, heading, ...content, trouble, go)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    trouble.replaceChildren()
    go.disabled = true
    perform(form)
      .catch((error) => trouble.replaceChildren(errorBox(error)))
      .finally(() => {
        go.disabled = false
      })
  })
  return form
}
