import { call } from '../../api.js'
import { element } from '../../parts/dom.js'
import { formatTime } from '../../parts/format.js'

/** @typedef {import('./job.js').Job} Job */
/** @typedef {NonNullable<Job['questions']>[number]} Question */

const REASONS = {
  candidates_disagree: 'The candidates give different outputs.',
  best_fails: 'The best candidate gives no output.',
  new_shape: 'The output has a form that no example has.',
}

const STATES = {
  open: 'open',
  answered: 'answered',
  skipped: 'skipped',
  invalid_input: 'no such input',
  expired: 'not answered in time',
}

/**
 * A card for each question of a job: an open one takes one click on a rival answer, an answer of one's own, or a skip.
 *
 * @param {Job} job
 * @param {boolean} mayAnswer
 * @param {(work: () => Promise<unknown>) => void} run
 * @param {() => void} reload
 */
export function questionCards({ id, questions = [] }, mayAnswer, run, reload) {
  const send = (/** @type {number} */ question, /** @type {unknown} */ answer) =>
    run(async () => {
      await call('POST', `/v1/compile/${id}/answers`, { question, answer })
      reload()
    })
  return questions.map((one) => card(one, mayAnswer, (answer) => send(one.question, answer)))
}

/**
 * @param {Question} question
 * @param {boolean} mayAnswer
 * @param {(answer: unknown) => void} send
 */
function card(question, mayAnswer, send) {
  const isOpen = question.state === 'open'
  const title = `question-${question.question}`
  return element(
    'section',
    {
      class: 'card question',
      'aria-labelledby': title,
      'data-question': question.question,
      'data-state': question.state,
    },
    element('h2', { id: title }, `Question ${question.question}: what is the output?`),
    element('p', {}, element('code', { class: 'long' }, JSON.stringify(question.input))),
    element(
      'p',
      { class: 'quiet' },
      isOpen ? `${REASONS[question.reason]} Open until ${formatTime(question.answer_by)}.` : stateOf(question),
    ),
    isOpen && mayAnswer && answers(question, send),
  )
}

/** @param {Question} question */
function stateOf({ state, output }) {
  return state === 'answered' ? `Answered: ${JSON.stringify(output)}` : `Closed: ${STATES[state]}`
}

/**
 * @param {Question} question
 * @param {(answer: unknown) => void} send
 */
function answers({ question, answers: rivals }, send) {
  const button = (/** @type {string} */ label, /** @type {unknown} */ answer) =>
    element('button', { type: 'button', onclick: () => send(answer) }, label)
  const own = element('input', { name: `answer-${question}`, required: true, 'aria-label': 'Your own answer' })
  const areTexts = rivals.every(({ output }) => typeof output === 'string')
  const form = element('form', { class: 'buttons' }, own, element('button', { type: 'submit' }, 'Answer'))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const output = rivals.length === 0 ? readAny(own.value) : areTexts ? own.value : readJson(own)
    if (output !== undefined) send({ output })
  })
  own.addEventListener('input', () => own.setCustomValidity(''))
  return element(
    'div',
    {},
    element(
      'div',
      { class: 'buttons' },
      ...rivals.map(({ output, share }) =>
        button(`${JSON.stringify(output)} · ${Math.round(share * 100)} %`, { output }),
      ),
    ),
    form,
    element('div', { class: 'buttons' }, button('Skip', 'skip'), button('No such input occurs', 'invalid_input')),
  )
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
