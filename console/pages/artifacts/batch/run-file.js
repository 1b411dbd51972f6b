import { html } from 'htm/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../../api.js'
import { usePage } from '../../../app/use-page.js'
import { ErrorBox, QuotaAdvice } from '../../../parts/error.js'
import { Field } from '../../../parts/form/field.js'
import { formatBytes, formatNumber } from '../../../parts/format.js'
import { say } from '../../../parts/say.js'
import { AnswersTable } from './answers-table.js'
import { countLines } from './count-lines.js'
import { openFileRun, SHOWN_ROWS } from './file-run.js'
/** @typedef {import('./file-run.js').Shown} Shown */
/** @typedef {import('./file-run.js').Batch} Batch */

/** Rows that a file may have to be run without a question: as many as are shown. */
const MOST_UNASKED = SHOWN_ROWS

/**
 * Runs every row of a chosen file: shows the first answers as they come, and offers all of them as a file.
 *
 * @param {{ versionId: string }} props
 */
export function RunFile({ versionId }) {
  const [file, setFile] = useState(/** @type {File | undefined} */ (undefined))
  const choose = (/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
    setFile(currentTarget.files?.[0])
  return html`<h2 id="run-file">Run a file</h2>
    <section class="card large" aria-labelledby="run-file">
      <${Field}
        label="File"
        name="batch"
        type="file"
        class="drop"
        accept=".csv,.tsv,.tab,.txt,.xlsx,.json,.jsonl,.ndjson"
        onChange=${choose}
        hint=${`CSV, TSV, Excel, JSON or JSON lines; drop it here, or choose it. Each answered row counts as one run; a row with an error costs nothing. A file of more than ${formatNumber(MOST_UNASKED)} rows is run once you confirm it.`}
      />
      ${file && html`<${ChosenFile} key=${`${file.name} ${file.lastModified} ${file.size}`} file=${file} versionId=${versionId} />`}
    </section>`
}

/**
 * Runs a small file at once, and asks before it runs another.
 *
 * @param {{ file: File, versionId: string }} props
 */
function ChosenFile({ file, versionId }) {
  const [lines, setLines] = useState(/** @type {number | null | undefined} */ (undefined))
  const [isConfirmed, setIsConfirmed] = useState(false)
  const answers = useRef(/** @type {HTMLElement | null} */ (null))
  // The button that had the focus is gone.
  useEffect(() => {
    if (isConfirmed) answers.current?.focus()
  }, [isConfirmed])
  useEffect(() => {
    const leaving = new AbortController()
    countLines(file, leaving.signal).then(
      (count) => {
        if (!leaving.signal.aborted) setLines(count)
      },
      // A file that cannot be read here is shown by its size; the service says what is wrong with it.
      () => {
        if (!leaving.signal.aborted) setLines(null)
      },
    )
    return () => leaving.abort()
  }, [])
  if (lines === undefined) return html`<p class="quiet" role="status">The rows are being counted …</p>`
  const isSmall = lines !== null && lines <= MOST_UNASKED
  if (isSmall || isConfirmed) {
    return html`<div tabindex="-1" ref=${answers}><${FileAnswers} file=${file} versionId=${versionId} /></div>`
  }
  const size = formatBytes(file.size)
  const what = lines === null ? size : `${formatNumber(lines)} lines, ${size}`
  return html`<p role="status"><strong>${file.name}</strong>: ${what}. Each answered row counts as one run.</p>
    <div class="buttons">
      <button type="button" class="primary" onClick=${() => setIsConfirmed(true)}>Start the run</button>
    </div>`
}

/** @param {{ file: File, versionId: string }} props */
function FileAnswers({ file, versionId }) {
  const { session } = usePage()
  const [run] = useState(() => openFileRun(file, versionId))
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
        if (!controller.signal.aborted) setError(fault)
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
  if (shown?.batch !== undefined && !isRunning) return html`<p role="status">${figuresOf(shown.batch)}</p>`
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

/** @param {Batch} batch */
function figuresOf({ answered, abstained, unlike_examples: unlike, errors, units }) {
  const counted = [
    `${formatNumber(answered)} answered`,
    abstained > 0 && `${formatNumber(abstained)} without an answer`,
    unlike > 0 && `${formatNumber(unlike)} unlike the examples`,
    errors > 0 && `${formatNumber(errors)} ${errors === 1 ? 'error' : 'errors'}`,
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
