import { html } from 'htm/preact'
import { Field } from '../../parts/form/field.js'

const KINDS = /** @type {const} */ ([
  ['auto', 'The cheapest that reaches the floor'],
  ['program', 'Program'],
  ['classifier', 'Classifier'],
  ['tabular', 'Tabular model'],
  ['composite', 'Composite'],
  ['lora', 'Adapter'],
])

/**
 * The floor, the kind and the tolerances of a compile. Where an earlier job is compiled again, its kind may stay: `''`.
 *
 * @param {{ floor: number, kind?: string, tolerances?: string, isAgain?: boolean }} props
 */
export function ChoiceFields({ floor, kind, tolerances = '', isAgain = false }) {
  return html`<div class="columns">
    <${Field}
      label="K-score floor"
      name="floor"
      of="k_score_floor"
      type="number"
      min="0"
      max="1"
      step="any"
      required
      defaultValue=${floor}
      hint="A candidate below the floor is not signed."
    />
    <${Field}
      as="select"
      label="Kind"
      name="kind"
      of="recipe_kind"
      options=${isAgain ? [['', 'As before'], ...KINDS] : KINDS}
      chosen=${kind}
    />
    <${Field}
      label="Numbers may be off by"
      name="tolerances"
      autocomplete="off"
      defaultValue=${tolerances}
      hint="For estimates, such as 50, 5 % or minutes = 10. Empty: a number is right when it is equal."
    />
  </div>`
}
