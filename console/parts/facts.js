import { html } from 'htm/preact'
/** @typedef {import('preact').ComponentChildren} Children */

/**
 * Pairs of a name and a value, for the facts about one thing; those that do not hold are left out.
 *
 * @param {{ facts: readonly (readonly [string, Children] | false | undefined)[] }} props
 */
export function Facts({ facts }) {
  const given = facts.filter((fact) => fact !== undefined && fact !== false)
  return html`<dl class="facts">
    ${given.map(
      ([name, value]) =>
        html`<div key=${name}>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}

/**
 * The heading of a part of a page, with its actions.
 *
 * @param {{ text: string, children?: Children }} props
 */
export function Heading({ text, children }) {
  return html`<div class="heading">
    <h2>${text}</h2>
    ${children}
  </div>`
}
