import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { call } from '../../../api.js'
import { Form } from '../../../parts/form/form.js'
import { formatNumber, formatPercent } from '../../../parts/format.js'
import { InputField, inputIn, placesOf } from './input-fields.js'

/** @typedef {import('zod').output<typeof import('../../../../core/compile/wire/run.ts').RunAnswer>} Answer */

/**
 * Runs a version on a typed input, which is a held-out row at first.
 *
 * @param {{ versionId: string, recipe: import('../artifact.js').ReadRecipe }} props
 */
export function TryForm({ versionId, recipe: { input: shape, example } }) {
  const [answer, setAnswer] = useState(/** @type {Answer | undefined} */ (undefined))
  const form = placesOf(shape)
  const run = async (/** @type {FormData} */ data) => {
    setAnswer(undefined)
    setAnswer(await call('POST', '/v1/run', { version_id: versionId, input: inputIn(data, form) }))
  }
  const valueAt = (/** @type {string} */ member) => {
    if (example === null || !form.isObject) return example?.input
    return new Map(Object.entries(Object(example.input))).get(member)
  }
  return html`<h2>Try it</h2>
    <${Form}
      isLarge
      action="Run"
      perform=${run}
      after=${html`<div aria-live="polite">${answer && html`<${AnswerView} answer=${answer} />`}</div>`}
    >
      ${form.places.map(
        (place) =>
          html`<${InputField}
            key=${place.name}
            place=${place}
            value=${valueAt(place.member)}
            isOnly=${!form.isObject}
          />`,
      )}
    <//>`
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
