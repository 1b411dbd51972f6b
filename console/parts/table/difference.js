import { html } from 'htm/preact'

/**
 * Two texts as the part before their difference, the two differing parts, and the part after.
 *
 * @typedef {{ before: string, expected: string, got: string, after: string }} Difference
 */

/**
 * Returns where two texts differ, by characters as people see them.
 *
 * @param {string} expected
 * @param {string} got
 * @returns {Difference}
 */
export function differenceOf(expected, got) {
  const one = charactersOf(expected)
  const other = charactersOf(got)
  const most = Math.min(one.length, other.length)
  let start = 0
  while (start < most && one[start] === other[start]) start++
  let rest = 0
  while (rest < most - start && one.at(-1 - rest) === other.at(-1 - rest)) rest++
  const middle = (/** @type {readonly string[]} */ characters) =>
    characters.slice(start, characters.length - rest).join('')
  return {
    before: one.slice(0, start).join(''),
    expected: middle(one),
    got: middle(other),
    after: one.slice(one.length - rest).join(''),
  }
}

/**
 * A value as text: texts as they are, other values as JSON.
 *
 * @param {unknown} value
 */
export function textOf(value) {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/**
 * Returns two values as texts that can be compared: as JSON where only one of them is a text, since `"5"` is not `5`.
 *
 * @param {unknown} expected
 * @param {unknown} got
 * @returns {readonly [string, string]}
 */
export function comparableTexts(expected, got) {
  if ((typeof expected === 'string') === (typeof got === 'string')) return [textOf(expected), textOf(got)]
  return [JSON.stringify(expected) ?? '', JSON.stringify(got) ?? '']
}

/**
 * One of two texts, with the part that differs from the other marked; equal texts have no mark.
 *
 * @param {{ difference: Difference, side: 'expected' | 'got' }} props
 */
export function Marked({ difference, side }) {
  const { before, after, expected, got, [side]: middle } = difference
  if (expected === got) return html`<span class="value">${before}${after}</span>`
  return html`<span class="value">${before}<mark data-side=${side}>${middle}</mark>${after}</span>`
}

/** @param {string} text */
function charactersOf(text) {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
}
