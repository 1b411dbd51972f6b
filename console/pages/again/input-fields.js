import { html } from 'htm/preact'
import { textOf } from '../../parts/table/difference.js'
import { memberNames } from '../../parts/table/members.js'
/** @typedef {{ currentTarget: HTMLTextAreaElement }} TypeEvent */
/** @typedef {{ name: string, isText: boolean }} MemberField a member of inputs; `isText`: some row has a text there */

/**
 * Returns the members of inputs; empty unless every input is an object.
 *
 * @param {readonly unknown[]} inputs
 * @returns {readonly MemberField[]}
 */
export function memberFields(inputs) {
  return memberNames(inputs).map((name) => ({
    name,
    isText: inputs.some((input) => typeof (/** @type {Record<string, unknown>} */ (input)[name]) === 'string'),
  }))
}

/**
 * The fields of one input: one for a text or another single value, one for each member of an object.
 *
 * @param {{ text: string, fields: readonly MemberField[], label: string, placeholder?: string, disabled?: boolean,
 *   change: (text: string) => void }} props `text`: the input as it is sent, an object as JSON; `fields`: empty where
 *   inputs are single values
 */
export function InputFields({ text, fields, label, placeholder, disabled = false, change }) {
  const members = fields.length === 0 ? undefined : membersIn(text)
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
    ${fields.map(
      ({ name, isText }) =>
        html`<label key=${name}>
          <span class="quiet">${name}</span>
          <textarea
            rows="1"
            class="cell"
            aria-label=${`${label}, ${name}`}
            disabled=${disabled}
            value=${members[name] === undefined ? '' : textOf(members[name])}
            onInput=${(/** @type {TypeEvent} */ { currentTarget }) =>
              change(
                JSON.stringify({ ...members, [name]: isText ? currentTarget.value : valueOf(currentTarget.value) }),
              )}
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
 * Returns what is typed where no row has a text: null for nothing, what is not JSON as it stands.
 *
 * @param {string} text
 * @returns {unknown}
 */
function valueOf(text) {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
