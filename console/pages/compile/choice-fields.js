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
 * The floor and the kind of a compile. Where an earlier job is compiled again, its kind may stay: `''`.
 *
 * @param {{ floor: number, kind?: string, isAgain?: boolean }} props
 */
export function ChoiceFields({ floor, kind, isAgain = false }) {
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
  </div>`
}
