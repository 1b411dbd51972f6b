import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { call } from '../../api.js'
import { Form } from '../../parts/form/form.js'
import { Field } from '../../parts/form/field.js'
import { formatNumber, formatPercent } from '../../parts/format.js'
import { rawTextIn } from '../../parts/form/text-in.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/run.ts').RunAnswer>} Answer */

/**
 * Runs a version on a typed input.
 *
 * @param {{ versionId: string }} props
 */
export function TryForm({ versionId }) {
  const [answer, setAnswer] = useState(/** @type {Answer | undefined} */ (undefined))
  const run = async (/** @type {FormData} */ data) => {
    setAnswer(undefined)
    const text = rawTextIn(data, 'input')
    const input = data.get('form') === 'json' ? parsed(text) : text
    setAnswer(await call('POST', '/v1/run', { version_id: versionId, input }))
  }
  return html`<h2>Try it</h2>
    <${Form}
      isLarge
      action="Run"
      perform=${run}
      after=${html`<div aria-live="polite">${answer && html`<${AnswerView} answer=${answer} />`}</div>`}
    >
      <${Field} as="textarea" label="Input" name="input" rows="3" required class="code" spellcheck="false" />
      <${Field}
        as="select"
        label="Read it as"
        name="form"
        hint="JSON for numbers, lists and objects."
        options=${[
          ['text', 'Text'],
          ['json', 'JSON'],
        ]}
      />
    <//>`
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('The input is not JSON; choose Text, or mend it.', { cause: error })
  }
}

/** @param {{ answer: Answer }} props */
function AnswerView({ answer }) {
  const { output, abstained, confidence, checks, unlike_examples: isUnlike, receipt } = answer
  const text = typeof output === 'string' ? output : JSON.stringify(output, null, 2)
  const facts = [
    ...(confidence === null ? [] : [`confidence ${formatPercent(confidence)}`]),
    ...(checks === null || checks.failed.length === 0 ? [] : [`fails ${checks.failed.join(', ')}`]),
    ...(isUnlike === true ? ['unlike the examples'] : []),
    `${formatNumber(answer.latency_us / 1000)} ms`,
    ...(answer.cache_hit ? ['remembered from before, so free of charge'] : []),
  ]
  return html`${
      abstained
        ? html`<p class="notice">It abstains: it has no answer for such an input, or one in doubt.</p>`
        : html`<${Output} label="Output" text=${text} />`
    }
    <p class="quiet">${facts.join(' · ')}</p>
    ${
      receipt !== null &&
      html`<details>
        <summary>Receipt</summary>
        <${Output} label="Receipt" text=${JSON.stringify(receipt, null, 2)} />
      </details>`
    }`
}

/**
 * A text as it is. It scrolls when it is long, so the keyboard must reach it.
 *
 * @param {{ label: string, text: string }} props
 */
function Output({ label, text }) {
  return html`<pre class="output" tabindex="0" role="region" aria-label=${label}>${text}</pre>`
}
