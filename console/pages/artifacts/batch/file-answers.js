import { html } from 'htm/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../../api.js'
import { usePage } from '../../../app/use-page.js'
import { ErrorBox, QuotaAdvice } from '../../../parts/error.js'
import { formatNumber } from '../../../parts/format.js'
import { say } from '../../../parts/say.js'
import { AnswersTable } from './answers-table.js'
import { openFileRun } from './file-run.js'
import { SHOWN_ROWS } from './run-file.js'
/** @typedef {import('./file-run.js').Shown} Shown */
/** @typedef {import('./file-run.js').Batch} Batch */
/** @typedef {import('../../compile/use-preview.js').Mapping} Mapping */

/**
 * Runs the rows of a file: their answers as they come, and all of them as a file.
 *
 * @param {{ file: File, versionId: string, mapping: Mapping, onRefused: () => void }} props `onRefused` is called when no
 *   row could be run
 */
export function FileAnswers({ file, versionId, mapping, onRefused }) {
  const { session } = usePage()
  const [run] = useState(() => openFileRun({ file, versionId, mapping }))
  const [shown, setShown] = useState(/** @type {Shown | undefined} */ (undefined))
  const [error, setError] = useState(/** @type {unknown} */ (undefined))
  const [isRunning, setIsRunning] = useState(false)
  const stopping = useRef(new AbortController())
  const go = () => {
    const controller = new AbortController()
    stopping.current = controller
    setError(undefined)
    setIsRunning(true)
    run
      .go(controller.signal, setShown)
      .then((batch) => {
        if (batch.state === 'done') say('The file has been run.')
      })
      .catch((fault) => {
        if (controller.signal.aborted) return
        setError(fault)
        if (!mayContinue(fault, false)) onRefused()
      })
      .finally(() => {
        if (stopping.current === controller) setIsRunning(false)
      })
  }
  useEffect(() => {
    go()
    return () => stopping.current.abort()
  }, [])
  const isDone = shown?.batch?.state === 'done'
  const isStopped = !isRunning && !isDone
  const hasAnswers = (shown?.answered ?? 0) > 0
  return html`<${Progress} shown=${shown} isRunning=${isRunning} />
    <${ErrorBox} error=${error} />
    ${
      isStopped &&
      error === undefined &&
      html`<div class="notice">
        <p>${stopText(shown?.batch)}</p>
        ${shown?.batch?.stop_code === 'quota_exhausted' && html`<${QuotaAdvice} end=${session.account?.period.resets_at} />`}
      </div>`
    }
    <div class="buttons">
      ${isRunning && html`<button type="button" onClick=${() => stopping.current.abort()}>Stop</button>`}
      ${isStopped && mayContinue(error, hasAnswers) && html`<button type="button" onClick=${go}>${hasAnswers ? 'Continue' : 'Try again'}</button>`}
      ${!isRunning && hasAnswers && html`<${Downloads} ...${{ run, file, isDone, batch: shown?.batch }} />`}
    </div>
    ${
      shown &&
      shown.columns.length > 0 &&
      html`<h3>${headOf(shown)}</h3>
        <div class="scroll" tabindex="0" role="region" aria-label="Answers">
          <${AnswersTable} columns=${shown.columns} answers=${shown.first} />
        </div>`
    }`
}

/**
 * Whether the same file may be sent again: a file that was refused before its first row would be refused again.
 *
 * @param {unknown} error
 * @param {boolean} hasAnswers
 */
function mayContinue(error, hasAnswers) {
  return hasAnswers || !(error instanceof ApiError) || error.status === 0 || error.status >= 429
}

/** @param {{ shown: Shown | undefined, isRunning: boolean }} props */
function Progress({ shown, isRunning }) {
  if (shown?.batch !== undefined && !isRunning)
    return html`<p role="status">${figuresOf(shown.batch, shown.leftOut)}</p>`
  const { rows = 0, answered = 0 } = shown ?? {}
  if (rows === 0) return html`<p class="quiet" role="status">${isRunning ? 'The file is being read …' : ''}</p>`
  return html`<p class="batch-progress">
    <progress max=${rows} value=${answered} aria-label="Rows that are answered"></progress>
    <span class="quiet">${formatNumber(answered)} of ${formatNumber(rows)} rows</span>
  </p>`
}

/**
 * Links to the answers and to their receipt.
 *
 * @param {{ run: import('./file-run.js').FileRun, file: File, isDone: boolean, batch: Batch | undefined }} props
 */
function Downloads({ run, file, isDone, batch }) {
  const answers = useAddress(() => run.answers(), [batch, isDone])
  const receipt = useAddress(
    () => new Blob([JSON.stringify(batch?.receipt ?? null, null, 2)], { type: 'application/json' }),
    [batch],
  )
  const name = `${file.name.replace(/\.\w+$/, '')}-answers.csv`
  return html`<a class=${isDone ? 'button primary' : 'button'} href=${answers} download=${name}>
      ${isDone ? 'Download all answers' : 'Download the answers so far'}
    </a>
    ${batch?.receipt && html`<a class="button" href=${receipt} download="${name}.receipt.json">Download the receipt</a>`}`
}

/**
 * An address for what the page holds, for as long as it is shown.
 *
 * @param {() => Blob} make
 * @param {readonly unknown[]} deps
 */
function useAddress(make, deps) {
  const [address, setAddress] = useState('')
  useEffect(() => {
    const url = URL.createObjectURL(make())
    setAddress(url)
    return () => URL.revokeObjectURL(url)
  }, deps)
  return address
}

/** @param {Shown} shown */
function headOf({ rows, first }) {
  if (rows <= SHOWN_ROWS) return 'Answers'
  return `The first ${formatNumber(Math.min(first.length, SHOWN_ROWS))} answers`
}

/**
 * @param {Batch} batch
 * @param {number} leftOut
 */
function figuresOf({ answered, abstained, unlike_examples: unlike, errors, units }, leftOut) {
  const counted = [
    `${formatNumber(answered)} answered`,
    abstained > 0 && `${formatNumber(abstained)} without an answer`,
    unlike > 0 && `${formatNumber(unlike)} unlike the examples`,
    errors > 0 && `${formatNumber(errors)} ${errors === 1 ? 'error' : 'errors'}`,
    leftOut > 0 && `${formatNumber(leftOut)} left out (titles above the table, or its header again)`,
    `${formatNumber(units)} ${units === 1 ? 'unit' : 'units'} charged`,
  ]
  return `${counted.filter(Boolean).join(', ')}.`
}

/** @param {Batch | undefined} batch */
function stopText(batch) {
  const start = 'Rows that are answered are not charged again.'
  if (batch?.stop_code === 'quota_exhausted') {
    return `The quota ended after row ${formatNumber(batch.settled_rows)}. Continue once there are units again. ${start}`
  }
  const code = batch?.stop_code
  return `The run is stopped${code ? ` (${code})` : ''}. ${start}`
}
