import { html } from 'htm/preact'

/**
 * Buttons of which one is pressed: what a list shows.
 *
 * @param {{ label: string, options: readonly (readonly [value: string, text: string])[], chosen: string,
 *   choose: (value: string) => void }} props
 */
export function Segments({ label, options, chosen, choose }) {
  return html`<div class="segments" role="group" aria-label=${label}>
    ${options.map(
      ([value, text]) =>
        html`<button type="button" key=${value} aria-pressed=${value === chosen} onClick=${() => choose(value)}>
          ${text}
        </button>`,
    )}
  </div>`
}
