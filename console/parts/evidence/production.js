import { html } from 'htm/preact'
import { Badge } from '../badge.js'
import { formatInstant, formatScore } from '../format.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/explain/production.ts').ProductionReason>} Reason */
/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/jobs/explain/acceptance.ts').AcceptedView>} Accepted */
/**
 * @typedef {{ production_ready?: boolean | undefined, production_reasons?: readonly Reason[] | undefined, accepted?:
 * Accepted | undefined }} Judged
 */

/**
 * Facts about the readiness of a job or an artifact for production, and about its acceptance below the floor.
 *
 * @param {Judged} judged
 * @returns {readonly (readonly [string, import('preact').ComponentChildren] | false)[]}
 */
export function productionFacts({ production_ready: isReady, production_reasons: reasons = [], accepted }) {
  return [
    isReady !== undefined && ['Ready for production', html`<${Readiness} isReady=${isReady} reasons=${reasons} />`],
    accepted !== undefined && ['Accepted below its floor', html`<${Acceptance} accepted=${accepted} />`],
  ]
}

/** @param {{ isReady: boolean, reasons: readonly Reason[] }} props */
function Readiness({ isReady, reasons }) {
  if (isReady) return html`<${Badge} status="ready" text="yes" />`
  return html`<span class="reasons"
    ><${Badge} status="warned" text="no" />
    ${reasons.length > 0 && html`<span class="quiet">${sentenceOf(reasons)}</span>`}</span
  >`
}

/** @param {{ accepted: Accepted }} props */
function Acceptance({ accepted: { by, at, k_score: score, k_score_floor: floor } }) {
  return html`<span class="reasons"
    ><span>K ${formatScore(score)}, the floor is ${formatScore(floor)}</span>
    <span class="quiet" title=${by}>${meansOf(by)} on ${formatInstant(at)}</span></span
  >`
}

/**
 * Says by what means an artifact was accepted; the audit log names the person.
 *
 * @param {string} by
 */
function meansOf(by) {
  if (by.startsWith('session:')) return 'From a browser'
  return by.startsWith('key:') ? 'With an API key' : by
}

/** @param {readonly Reason[]} reasons */
function sentenceOf(reasons) {
  const text = reasons.map((reason) => reason.text).join('; ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
