import { html } from 'htm/preact'
import { get } from '../../api.js'
import { Badge } from '../../parts/badge.js'
import { ErrorBox } from '../../parts/error.js'
import { formatInstant, formatNumber } from '../../parts/format.js'
import { useRead } from '../../parts/read/use-read.js'
import { providerText } from './words.js'
/** @typedef {import('./review.js').Capture} Capture */
/** @typedef {import('./fix-output.js').Detail} Detail */

const STATES = { pending: 'queued', approved: 'live', rejected: 'failed', quarantined: 'warned' }

/**
 * A capture of the feed: its beginning, and all of it once it is in focus.
 *
 * @param {{ capture: Capture, place: number, count: number, isCurrent: boolean, isOpen: boolean, onFocus: () => void,
 *   decide: false | ((decision: import('./review.js').Decision) => void) }} props
 */
export function CaptureCard({ capture, place, count, isCurrent, isOpen, onFocus, decide }) {
  const { id, namespace, provider, model, timestamp, status, risk_score: risk, is_fixed: isFixed } = capture
  const redacted = capture.redaction_applied
  return html`<article
    class="capture"
    tabindex=${isCurrent ? 0 : -1}
    aria-posinset=${place}
    aria-setsize=${count}
    aria-labelledby="${id}-prompt"
    aria-describedby="${id}-facts"
    data-status=${status}
    data-open=${isOpen ? 'true' : undefined}
    onFocus=${onFocus}
    onClick=${onFocus}
  >
    <p class="prompt" id="${id}-prompt">${previewOf(capture.prompt_preview)}</p>
    <p class="response">${capture.response_preview ?? 'No response is stored.'}</p>
    ${isOpen && html`<${Whole} key=${`${id} ${isFixed}`} id=${id} />`}
    <p class="quiet facts-line" id="${id}-facts">
      <${Badge} status=${STATES[status]} text=${status} />
      ${isFixed && html`<${Badge} status="live" text="output fixed" />`}
      <span>${providerText(provider)} ${model}</span> <span>${namespace}</span> <span>${formatInstant(timestamp)}</span>
      ${risk !== null && risk > 0 && html`<span>risk ${formatNumber(Number(risk.toFixed(2)))}</span>`}
      ${redacted.length > 0 && html`<span>redacted: ${redacted.join(', ')}</span>`}
    </p>
    ${
      isOpen &&
      decide &&
      html`<div class="buttons">
        <button type="button" class="small" onClick=${() => decide('approve')}>Approve</button>
        <button type="button" class="small" onClick=${() => decide('fix')}>Fix the output</button>
        <button type="button" class="small" onClick=${() => decide('reject')}>Reject</button>
      </div>`
    }
  </article>`
}

/** Instructions before the text of the user: they are the same in every capture of a list. */
const INSTRUCTIONS = /^system: .*? user: (?=\S)/s

/** @param {string | null} prompt */
function previewOf(prompt) {
  return prompt === null ? 'The prompt is not stored.' : prompt.replaceAll(/\s+/g, ' ').replace(INSTRUCTIONS, '')
}

/**
 * The whole texts of a capture.
 *
 * @param {{ id: string }} props
 */
function Whole({ id }) {
  const { data, error } = useRead(async (signal) => {
    /** @type {{ capture: Detail }} */
    const { capture } = await get(`/v1/captures/${id}/inspect`, signal)
    return capture
  }, [])
  if (error !== undefined) return html`<${ErrorBox} error=${error} />`
  if (data === undefined) return null
  const output = data.fixed_output ?? data.response
  return html`<pre class="asked">${data.prompt ?? 'The prompt is not stored.'}</pre>
    <pre class="asked">${output ?? 'No response is stored.'}</pre>`
}
