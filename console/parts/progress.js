import { html } from 'htm/preact'
import { formatDuration, formatNumber, formatPercent, formatWord } from './format.js'

/**
 * @typedef {{ step: number, steps: number, loss: number | undefined, validationLoss: number | undefined,
 *   leftS: number | undefined, speed: number | undefined }} Fit a fit as its last report says it
 */
/**
 * A stage of some work as it stands: `fraction` of 0 to 1.
 *
 * @typedef {{ id: string, label: string, status: string, fraction: number, note: string | undefined, fit?: Fit }} Stage
 */

/**
 * The live progress of some work: each of its stages with a bar, and what a fit reports below its own.
 *
 * @param {{ stages: readonly Stage[] }} props
 */
export function Stages({ stages }) {
  return html`<ol class="stages">
    ${stages.map(
      ({ id, label, status, fraction, note, fit }) =>
        html`<li key=${id} data-stage=${id} data-status=${status}>
          <span class="label">${label}</span>
          <progress max="1" value=${status === 'skipped' ? 0 : fraction} aria-label=${label}></progress>
          <span class="state">${status === 'running' ? formatPercent(fraction) : formatWord(status)}</span>
          <span class="quiet note"
            >${[note, fit && fitText(fit, status === 'running')].filter(Boolean).join(' · ')}</span
          >
        </li>`,
    )}
  </ol>`
}

/**
 * Step, loss and time left of a fit, in words.
 *
 * @param {Fit} fit
 * @param {boolean} isRunning
 */
function fitText({ step, steps, loss, validationLoss, leftS, speed }, isRunning) {
  return [
    `step ${formatNumber(step)} of ${formatNumber(steps)}`,
    loss !== undefined && `loss ${formatLoss(loss)}`,
    validationLoss !== undefined && `validation loss ${formatLoss(validationLoss)}`,
    speed !== undefined && `${formatNumber(speed)} tokens a second`,
    isRunning && leftS !== undefined && `${formatDuration(leftS)} left`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** @param {number} loss */
function formatLoss(loss) {
  return formatNumber(Number(loss.toPrecision(3)))
}
