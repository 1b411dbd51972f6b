import { html } from 'htm/preact'
import { formatNumber } from '../format.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/captures.ts').LearnedCapturesView>} Captures */

/**
 * Facts about the captures that a job or an artifact learned from.
 *
 * @param {Captures | undefined} captures
 * @returns {readonly (readonly [string, import('preact').ComponentChildren] | false)[]}
 */
export function learnedFacts(captures) {
  return captures === undefined ? [] : [['Learned from', html`<${Learned} captures=${captures} />`]]
}

/** @param {{ captures: Captures }} props */
function Learned({ captures: { namespace, used, skipped, chains, forgotten } }) {
  const end = chains.at(-1)
  const left = Object.values(skipped).reduce((sum, count) => sum + count, 0)
  return html`<span class="reasons"
    ><span>${countOf(used)} of ${namespace}${forgotten > 0 && `, ${formatNumber(forgotten)} forgotten since`}</span>
    ${left > 0 && html`<span class="quiet">${countOf(left)} skipped</span>`}
    ${
      end !== undefined &&
      html`<span class="quiet">Chain of ${formatNumber(end.count)}, root <code class="long">${end.head}</code></span>`
    }</span
  >`
}

/** @param {number} count */
function countOf(count) {
  return `${formatNumber(count)} ${count === 1 ? 'capture' : 'captures'}`
}
