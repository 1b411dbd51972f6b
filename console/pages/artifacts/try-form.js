import { call } from '../../api.js'
import { element } from '../../parts/dom.js'
import { actionForm, field, select } from '../../parts/form.js'
import { formatNumber, formatPercent } from '../../parts/format.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/run.ts').RunAnswer>} Answer */

/**
 * Runs a version on a typed input.
 *
 * @param {string} versionId
 * @returns {readonly Node[]}
 */
export function tryForm(versionId) {
  const input = element('textarea', { name: 'input', rows: 3, required: true, class: 'code', spellcheck: 'false' })
  const form = select({ name: 'form' }, [
    ['text', 'Text'],
    ['json', 'JSON'],
  ])
  const answered = element('div', { 'aria-live': 'polite' })
  const made = actionForm({
    fields: [field('Input', input), field('Read it as', form, 'JSON for numbers, lists and objects.')],
    action: 'Run',
    async perform() {
      answered.replaceChildren()
      const value = form.value === 'json' ? parsed(input.value) : input.value
      /** @type {Answer} */
      const answer = await call('POST', '/v1/run', { version_id: versionId, input: value })
      answered.replaceChildren(...show(answer))
    },
  })
  made.classList.add('large')
  made.append(answered)
  return [element('h2', {}, 'Try it'), made]
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('The input is not JSON; choose Text, or mend it.', { cause: error })
  }
}

/** @param {Answer} answer */
function show(answer) {
  const {
    output,
    abstained,
    confidence,
    checks,
    unlike_examples: isUnlike,
    latency_us: us,
    cache_hit: isCached,
    receipt,
  } = answer
  const text = typeof output === 'string' ? output : JSON.stringify(output, null, 2)
  const facts = [
    ...(confidence === null ? [] : [`confidence ${formatPercent(confidence)}`]),
    ...(checks === null || checks.failed.length === 0 ? [] : [`fails ${checks.failed.join(', ')}`]),
    ...(isUnlike === true ? ['unlike the examples'] : []),
    `${formatNumber(us / 1000)} ms`,
    ...(isCached ? ['remembered from before, so free of charge'] : []),
  ]
  return [
    abstained
      ? element('p', { class: 'notice' }, 'It abstains: it has no answer for such an input, or one in doubt.')
      : outputBox('Output', text),
    element('p', { class: 'quiet' }, facts.join(' · ')),
    ...(receipt === null
      ? []
      : [
          element(
            'details',
            {},
            element('summary', {}, 'Receipt'),
            outputBox('Receipt', JSON.stringify(receipt, null, 2)),
          ),
        ]),
  ]
}

/**
 * A text as it is. It scrolls when it is long, so the keyboard must reach it.
 *
 * @param {string} label
 * @param {string} text
 */
function outputBox(label, text) {
  return element('pre', { class: 'output', tabindex: 0, role: 'region', 'aria-label': label }, text)
}
