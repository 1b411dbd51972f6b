import { call, get } from '../../api.js'
import { element } from '../../parts/dom.js'
import { actionForm, field, select } from '../../parts/form.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/build/builder.ts').ListTemplatesAnswer>['templates'][number]} Template */

const KINDS = /** @type {const} */ ([
  ['auto', 'The cheapest that reaches the floor'],
  ['program', 'Program'],
  ['classifier', 'Classifier'],
  ['tabular', 'Tabular model'],
  ['composite', 'Composite'],
  ['lora', 'Adapter'],
])

/** @type {import('../index.js').Page} */
export const compilePage = {
  title: 'New compile',
  within: 'jobs',
  scope: 'compile:write',
  async load({ signal }) {
    const task = element('textarea', { name: 'task', required: true, rows: 2, maxlength: 4000 })
    const pasted = element('textarea', { name: 'examples', rows: 10, class: 'code', spellcheck: 'false', wrap: 'off' })
    const file = element('input', { name: 'file', type: 'file', accept: '.jsonl,.ndjson,.csv' })
    const floor = element('input', { name: 'floor', type: 'number', min: 0, max: 1, step: 0.01, value: 0.85 })
    const kind = select({ name: 'kind' }, KINDS)
    /** Examples that are sent again after a lost answer make one job. */
    let attempt = newAttempt()
    const form = actionForm({
      fields: [
        field('Task', task, 'What the artifact is to do, in words.'),
        field('Examples', pasted, 'One {"input": …, "output": …} a line, or CSV with the columns input and output.'),
        field('Or a file', file, '.jsonl or .csv; it counts in place of the text above.'),
        element(
          'div',
          { class: 'columns' },
          field('K-score floor', floor, 'Below it nothing is signed.'),
          field('Kind', kind),
        ),
      ],
      action: 'Start the compile',
      async perform() {
        const body = new FormData()
        const spec = { task: task.value, k_score_floor: Number(floor.value), recipe_kind: kind.value, mode: 'async' }
        body.set('spec', JSON.stringify(spec))
        body.set('file', chosenFile(file, pasted))
        /** @type {{ job_id: string }} */
        const { job_id: id } = await call('POST', '/v1/compile', body, { headers: { 'Idempotency-Key': attempt } })
        if (!signal.aborted) location.hash = `#/job/${id}`
      },
    })
    form.classList.add('large')
    form.addEventListener('input', () => {
      attempt = newAttempt()
    })
    const fill = (/** @type {Template} */ template) => {
      task.value = template.task
      pasted.value = template.examples.map((example) => JSON.stringify(example)).join('\n')
      file.value = ''
      attempt = newAttempt()
      task.focus()
    }
    return [await starters(signal, fill), form]
  },
}

/**
 * Returns the chosen file, or the pasted text as a file: text that begins with a brace is lines of JSON.
 *
 * @param {HTMLInputElement} file
 * @param {HTMLTextAreaElement} pasted
 */
function chosenFile(file, pasted) {
  const [chosen] = file.files ?? []
  if (chosen !== undefined) return chosen
  const text = pasted.value.trim()
  if (text === '') throw new Error('Paste examples, or choose a file with some.')
  if (text.startsWith('[')) return new File([asLines(text)], 'pasted.jsonl')
  return new File([text], text.startsWith('{') ? 'pasted.jsonl' : 'pasted.csv')
}

/**
 * A JSON list as lines of JSON.
 *
 * @param {string} text
 */
function asLines(text) {
  try {
    /** @type {readonly unknown[]} */
    const rows = JSON.parse(text)
    return rows.map((row) => JSON.stringify(row)).join('\n')
  } catch (error) {
    throw new Error('The examples begin like a JSON list and are none.', { cause: error })
  }
}

function newAttempt() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Buttons that fill the form with starter templates.
 *
 * @param {AbortSignal} signal
 * @param {(template: Template) => void} fill
 */
async function starters(signal, fill) {
  /** @type {{ templates: readonly Template[] }} */
  const { templates } = await get('/v1/builder/templates', signal)
  const buttons = templates.map((template) =>
    element('button', { type: 'button', onclick: () => fill(template) }, template.name),
  )
  return element(
    'section',
    { class: 'starters', 'aria-label': 'Start from' },
    element('p', { class: 'quiet' }, 'Start from your own examples, or from rows that are made up:'),
    element('div', { class: 'buttons' }, ...buttons),
  )
}
