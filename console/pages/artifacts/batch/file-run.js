import { ApiError, get, open } from '../../../api.js'
import { newAttempt } from '../../../parts/form/attempt.js'
import { answerOf, csvFile, delimiterOf, givenColumns, openRecords } from './csv.js'
import { SHOWN_ROWS } from './run-file.js'

/** @typedef {import('zod').output<typeof import('../../../../core/compile/wire/batches.ts').BatchView>} Batch */
/**
 * The state of a run of a file.
 *
 * @typedef {object} Shown
 * @property {number} rows of the file; 0 until it was read
 * @property {number} leftOut rows that are left out: titles above the table, and repeated headers
 * @property {number} answered rows whose answers are here
 * @property {readonly string[]} columns of the input
 * @property {readonly import('./csv.js').Answer[]} first the first answers
 * @property {Batch} [batch] once the answers have ended
 */
/**
 * A run of a file, which can be stopped and continued.
 *
 * @typedef {object} FileRun
 * @property {(signal: AbortSignal, show: (shown: Shown) => void) => Promise<Batch>} go begins or continues
 * @property {() => Blob} answers the answers that are here, as CSV that spreadsheets read as UTF-8
 */

/** Characters that are kept as text before they become a part of a file, which the browser may keep on disk. */
const PART_CHARS = 4_000_000
/** Attempts without a new row after which the run ends, and the pause before each, milliseconds. */
const MOST_ATTEMPTS = 5
const PAUSE_MS = 1000
/** Pause between two reports of progress, milliseconds. */
const REPORT_MS = 100

/**
 * Opens a run of the rows of a file. A lost connection is made again, and the answers continue after the last row that is
 * here; settled rows are not charged twice.
 *
 * @param {{ file: File, versionId: string, mapping: import('../../compile/use-preview.js').Mapping }} given
 * @returns {FileRun}
 */
export function openFileRun({ file, versionId, mapping }) {
  const key = newAttempt()
  const records = openRecords()
  /** @type {(Blob | string)[]} */
  const parts = []
  /** The last row is held back: the service ends a stopped run with a row that says why. */
  let held = ''
  let kept = ''
  let delimiter = ','
  /** @type {Shown} */
  let shown = { rows: 0, leftOut: 0, answered: 0, columns: [], first: [] }

  const keep = (/** @type {string} */ text) => {
    kept += text
    if (kept.length < PART_CHARS) return
    parts.push(new Blob([kept]))
    kept = ''
  }
  const take = (/** @type {readonly string[]} */ complete) => {
    const isHead = shown.columns.length === 0 && complete.length > 0
    const [head = ''] = complete
    if (isHead) {
      delimiter = delimiterOf(head)
      shown = { ...shown, columns: givenColumns(head, delimiter) }
      keep(head)
    }
    const rows = isHead ? complete.slice(1) : complete
    if (rows.length === 0) return
    keep(held + rows.slice(0, -1).join(''))
    held = rows.at(-1) ?? ''
    const more = rows.slice(0, Math.max(0, SHOWN_ROWS - shown.first.length))
    shown = {
      ...shown,
      answered: shown.answered + rows.length,
      ...(more.length > 0 && { first: [...shown.first, ...more.map((row) => answerOf(row, delimiter))] }),
    }
  }
  /** Drops the row that says why the service stopped. */
  const dropHeld = () => {
    if (held === '') return
    held = ''
    const answered = shown.answered - 1
    shown = { ...shown, answered, first: shown.first.slice(0, answered) }
  }

  /** The names of the columns come again with the first row. */
  const forgetHead = () => {
    parts.length = 0
    kept = ''
    shown = { ...shown, columns: [] }
  }

  const streamOnce = async (/** @type {AbortSignal} */ signal, /** @type {() => void} */ report) => {
    const body = new FormData()
    const spec = { version_id: versionId, format: 'csv', from_row: shown.answered + 1 }
    body.set('spec', JSON.stringify({ ...spec, ...(Object.keys(mapping).length > 0 && { mapping }) }))
    body.set('file', file)
    const response = await open('POST', '/v1/run/batch', body, {
      signal,
      headers: { 'Idempotency-Key': key, Accept: 'text/csv, application/json' },
    })
    const count = (/** @type {string} */ name) => Number(response.headers.get(`X-Svc-Batch-${name}`))
    shown = { ...shown, rows: count('Rows'), leftOut: count('Left-Out') }
    records.reset()
    if (shown.answered === 0) forgetHead()
    for await (const text of textsOf(response, signal)) {
      take(records.push(text))
      report()
    }
    /** @type {Batch} */
    const batch = await get(`/v1/run/batch/${response.headers.get('X-Svc-Batch-Id')}`, signal)
    if (batch.state === 'stopped' && shown.answered > batch.settled_rows) dropHeld()
    return batch
  }

  return {
    async go(signal, show) {
      const report = throttled(() => show(shown), REPORT_MS)
      const { rows, leftOut, answered, columns, first } = shown
      shown = { rows, leftOut, answered, columns, first }
      for (let attempt = 1; ; attempt++) {
        const before = shown.answered
        /** @type {unknown} */
        let lost = new Error('the answers ended before the last row')
        try {
          const batch = await streamOnce(signal, report)
          if (batch.state !== 'running') {
            shown = { ...shown, batch }
            show(shown)
            return batch
          }
        } catch (error) {
          show(shown)
          signal.throwIfAborted()
          if (!isTransient(error)) throw error
          if (isAhead(error)) dropHeld()
          lost = error
        }
        if (shown.answered > before) attempt = 0
        else if (attempt >= MOST_ATTEMPTS) throw lost
        show(shown)
        await pause(PAUSE_MS, signal)
      }
    },
    answers: () => csvFile([...parts, kept, held]),
  }
}

/**
 * Yields the text of an answer as it comes.
 *
 * @param {Response} response
 * @param {AbortSignal} signal
 */
async function* textsOf(response, signal) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read().catch((error) => {
      signal.throwIfAborted()
      throw new ApiError(0, { error: `the connection was lost (${error})`, code: 'unreachable' })
    })
    if (done) return
    yield value
  }
}

/** @param {unknown} error */
function isTransient(error) {
  return error instanceof ApiError && (error.status === 0 || isAhead(error) || TRANSIENT.has(error.code))
}
const TRANSIENT = new Set(['busy', 'rate_limited', 'store_unavailable', 'batch_continued'])

/** @param {unknown} error */
function isAhead(error) {
  return error instanceof ApiError && error.code === 'batch_row_ahead'
}

/**
 * @param {() => void} work
 * @param {number} pauseMs
 */
function throttled(work, pauseMs) {
  let last = -Infinity
  return () => {
    if (performance.now() - last < pauseMs) return
    last = performance.now()
    work()
  }
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 */
async function pause(ms, signal) {
  await new Promise((resolve) => setTimeout(resolve, ms))
  signal.throwIfAborted()
}
