import { html } from 'htm/preact'
import { textOf } from '../../parts/table/difference.js'
/** @typedef {{ currentTarget: HTMLTextAreaElement }} TypeEvent */

/**
 * The fields of one input: one for a text or another single value, one for each member of an object.
 *
 * @param {{ text: string, names: readonly string[], label: string, placeholder?: string, disabled?: boolean,
 *   change: (text: string) => void }} props `text`: the input as it is sent, an object as JSON; `names`: members of the
 *   inputs, empty where they are single values
 */
export function InputFields({ text, names, label, placeholder, disabled = false, change }) {
  const members = names.length === 0 ? undefined : membersIn(text)
  if (members === undefined) {
    return html`<textarea
      rows="1"
      class="cell"
      aria-label=${label}
      placeholder=${placeholder}
      disabled=${disabled}
      value=${text}
      onInput=${(/** @type {TypeEvent} */ { currentTarget }) => change(currentTarget.value)}
    ></textarea>`
  }
  return html`<div class="members">
    ${names.map(
      (name) =>
        html`<label key=${name}>
          <span class="quiet">${name}</span>
          <textarea
            rows="1"
            class="cell"
            aria-label=${`${label}, ${name}`}
            disabled=${disabled}
            value=${members[name] === undefined ? '' : textOf(members[name])}
            onInput=${(/** @type {TypeEvent} */ { currentTarget }) =>
              change(JSON.stringify({ ...members, [name]: typedAs(members[name], currentTarget.value) }))}
          ></textarea>
        </label>`,
    )}
  </div>`
}

/**
 * Returns the members of an input as it is sent; undefined for a text that is no object.
 *
 * @param {string} text empty for a new row
 * @returns {Record<string, unknown> | undefined}
 */
function membersIn(text) {
  if (text === '') return {}
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns a typed text in the type of the value before: what was a text stays one.
 *
 * @param {unknown} before
 * @param {string} text
 */
function typedAs(before, text) {
  if (typeof before === 'string' || text === '') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
