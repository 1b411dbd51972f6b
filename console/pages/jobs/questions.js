import { html } from 'htm/preact'
import { call } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { formatPercent, formatTime } from '../../parts/format.js'
import { AnswerForm } from './answer-form.js'

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
 * A card for each question of a job: an open one takes one click on a rival answer, another answer, or a skip.
 *
 * @param {{ job: Job, run: (work: () => Promise<unknown>) => void }} props
 */
export function QuestionCards({ job: { id, questions = [] }, run }) {
  const { session, reload } = usePage()
  const mayAnswer = session.can('compile:write')
  return questions.map((one) => {
    const send = (/** @type {unknown} */ answer) =>
      run(async () => {
        await call('POST', `/v1/compile/${id}/answers`, { question: one.question, answer })
        reload()
      })
    return html`<${QuestionCard} key=${one.question} question=${one} mayAnswer=${mayAnswer} send=${send} />`
  })
}

/** @param {{ question: Question, mayAnswer: boolean, send: (answer: unknown) => void }} props */
function QuestionCard({ question, mayAnswer, send }) {
  const { question: number, state, input, reason, answers, answer_by: end } = question
  const isOpen = state === 'open'
  return html`<section
    class="card question"
    aria-labelledby="question-${number}"
    data-question=${number}
    data-state=${state}
  >
    <h2 id="question-${number}">Question ${number}: what is the output?</h2>
    <pre class="asked">${typeof input === 'string' ? input : JSON.stringify(input, null, 2)}</pre>
    <p class="quiet">${isOpen ? `${REASONS[reason]} Open until ${formatTime(end)}.` : stateOf(question)}</p>
    ${
      isOpen &&
      mayAnswer &&
      html`<div class="buttons rivals">
          ${answers.map(
            ({ output, share }, place) =>
              html`<button type="button" key=${place} onClick=${() => send({ output })}>
                <code>${JSON.stringify(output)}</code> <span class="quiet">${formatPercent(share)}</span>
              </button>`,
          )}
        </div>
        <${AnswerForm} number=${number} rivals=${answers} send=${send} />
        <div class="buttons">
          <button type="button" onClick=${() => send('skip')}>Skip</button>
          <button type="button" onClick=${() => send('invalid_input')}>No such input occurs</button>
        </div>`
    }
  </section>`
}

/** @param {Question} question */
function stateOf({ state, output }) {
  return state === 'answered' ? `Answered: ${JSON.stringify(output)}` : `Closed: ${STATES[state]}`
}
