import { html } from 'htm/preact'
/** @typedef {import('./questions.js').Question} Question */

/**
 * A field for another answer than those that the candidates give.
 *
 * @param {{ number: number, rivals: Question['answers'], send: (answer: unknown) => void }} props
 */
export function AnswerForm({ number, rivals, send }) {
  const areTexts = rivals.every(({ output }) => typeof output === 'string')
  const onSubmit = (/** @type {SubmitEvent & { currentTarget: HTMLFormElement }} */ event) => {
    event.preventDefault()
    const input = event.currentTarget.querySelector('input')
    if (input === null) return
    const output = rivals.length === 0 ? readAny(input.value) : areTexts ? input.value : readJson(input)
    if (output !== undefined) send({ output })
  }
  const onInput = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
    currentTarget.setCustomValidity('')
  return html`<form class="buttons answer" onSubmit=${onSubmit}>
    <input
      name="answer-${number}"
      required
      aria-label="Another answer"
      placeholder="Another answer"
      onInput=${onInput}
    />
    <button type="submit">Answer</button>
  </form>`
}

/**
 * A text as JSON where it is a number, a truth value, null, an object or a list; else the text.
 *
 * @param {string} text
 */
function readAny(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'string' ? text : value
  } catch {
    return text
  }
}

/**
 * The value of a field as JSON; undefined, with a message at the field, when it is none.
 *
 * @param {HTMLInputElement} input
 */
function readJson(input) {
  try {
    return JSON.parse(input.value)
  } catch {
    input.setCustomValidity('Write JSON, such as 12, true or {"city": "Oslo"}')
    input.reportValidity()
    return undefined
  }
}
