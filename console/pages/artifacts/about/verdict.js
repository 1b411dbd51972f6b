import { html } from 'htm/preact'
/** @typedef {import('../artifact.js').Artifact} Artifact */

/**
 * Shows the evidence of an artifact in sentences; those about figures that were not measured say so.
 *
 * @param {{ artifact: Artifact }} props
 */
export function Verdict({ artifact: { in_words: words } }) {
  if (words === undefined) return null
  const { accuracy, interval, scoring, acceptance, not_measured: unmeasured } = words
  return html`<section class="verdict" aria-label="How well it does">
    <p class="accuracy">${accuracy}</p>
    <p>${[interval, scoring, acceptance].filter(Boolean).join(' ')}</p>
    ${unmeasured.length > 0 && html`<p class="quiet">${unmeasured.join(' ')}</p>`}
  </section>`
}
