import { html } from 'htm/preact'
import { textOf } from './difference.js'

/** Columns that the members of a value get at most; further members share the last one. */
const MOST_COLUMNS = 3
/** Most members that one cell shows. */
const MOST_PAIRS = 12

/**
 * Returns the names of members that values have, in the order in which they appear; empty unless every value is an
 * object.
 *
 * @param {readonly unknown[]} values
 * @returns {readonly string[]}
 */
export function memberNames(values) {
  const areObjects = values.length > 0 && values.every((value) => isObject(value))
  return areObjects ? [...new Set(values.flatMap((value) => Object.keys(/** @type {object} */ (value))))] : []
}

/**
 * Splits names into those that get a column each, and those that share one.
 *
 * @param {readonly string[]} names
 * @returns {{ own: readonly string[], shared: readonly string[] }}
 */
export function foldNames(names) {
  if (names.length <= MOST_COLUMNS) return { own: names, shared: [] }
  return { own: names.slice(0, MOST_COLUMNS - 1), shared: names.slice(MOST_COLUMNS - 1) }
}

/**
 * The title of the shared column.
 *
 * @param {readonly string[]} shared
 */
export function sharedTitle(shared) {
  return `${shared.length} more`
}

/**
 * Members as lines of `name: value`.
 *
 * @param {{ pairs: readonly (readonly [name: string, value: unknown])[] }} props members without a value are left out
 */
export function Pairs({ pairs }) {
  const given = pairs.filter(([, value]) => value !== undefined)
  const rest = given.length - MOST_PAIRS
  return html`<span class="value pairs"
    >${given
      .slice(0, MOST_PAIRS)
      .map(([name, value], at) => html`<span key=${at}><span class="quiet">${name}:</span> ${textOf(value)}</span>`)}
    ${rest > 0 && html`<span class="quiet">and ${rest} more</span>`}</span
  >`
}

/**
 * A value as text, an object as its members.
 *
 * @param {{ value: unknown }} props
 */
export function ValueText({ value }) {
  if (isObject(value)) return html`<${Pairs} pairs=${Object.entries(value)} />`
  return html`<span class="value">${textOf(value)}</span>`
}

/**
 * Returns a value as one line of text, an object as `name: value, name: value`.
 *
 * @param {unknown} value
 */
export function lineOf(value) {
  if (!isObject(value)) return textOf(value)
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${textOf(member)}`)
    .join(', ')
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}
