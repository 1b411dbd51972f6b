import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Choice } from '../../parts/form/field.js'
/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/keys/scopes.ts').ListScopesAnswer>} Scopes */

/** Value of the choice of single scopes, beside the ids of presets. */
const SINGLE = 'single'

/**
 * The permissions of a new key: a preset, or single scopes, each with what it allows.
 *
 * @param {Scopes} props
 */
export function ScopeFields({ scopes, presets }) {
  const [chosen, setChosen] = useState(presets[0]?.id ?? SINGLE)
  const option = (/** @type {string} */ id, /** @type {string} */ name, /** @type {string} */ description) =>
    html`<${Choice}
      key=${id}
      type="radio"
      name="preset"
      value=${id}
      checked=${id === chosen}
      onChange=${() => setChosen(id)}
      label=${html`<span class="named"><span>${name}</span>${' '}<span class="quiet">${description}</span></span>`}
    />`
  return html`<fieldset>
      <legend>Permissions</legend>
      ${presets.map(({ id, name, description }) => option(id, name, description))}
      ${option(SINGLE, 'Single scopes', 'Choose each permission yourself')}
    </fieldset>
    ${chosen === SINGLE && html`<${SingleScopes} scopes=${scopes} />`}`
}

/** @param {Pick<Scopes, 'scopes'>} props */
function SingleScopes({ scopes }) {
  return html`<fieldset>
    <legend>Scopes</legend>
    <div class="choices">
      ${scopes
        .filter(({ routes }) => routes.length > 0)
        .map(
          ({ scope, description }) =>
            html`<${Choice}
              key=${scope}
              name="scope"
              value=${scope}
              label=${html`<span class="named"><span>${description}</span>${' '}<code class="quiet">${scope}</code></span>`}
            />`,
        )}
    </div>
  </fieldset>`
}

/**
 * Returns the chosen scopes of a form with these fields.
 *
 * @param {FormData} data
 * @param {Scopes} of
 */
export function chosenScopes(data, { presets }) {
  const preset = presets.find(({ id }) => id === data.get('preset'))
  return preset?.scopes ?? data.getAll('scope').map(String)
}
