import { html } from 'htm/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatBytes, formatNumber } from '../../../parts/format.js'
import { ReadAs } from '../../compile/read-as.js'
import { usePreview } from '../../compile/use-preview.js'
import { countLines } from './count-lines.js'
import { FileAnswers } from './file-answers.js'
import { SHOWN_ROWS } from './run-file.js'
/** @typedef {import('../../compile/use-preview.js').Preview} Preview */
/** @typedef {import('../../compile/use-preview.js').Mapping} Mapping */

/**
 * Runs a small file at once, and asks before it runs another. Shows how a table is read, to be run otherwise. A batch
 * guesses otherwise than the preview, which is that of a compile: it gets what the person chose, and after a refusal all
 * that is shown.
 *
 * @param {{ file: File, versionId: string }} props
 */
export function ChosenFile({ file, versionId }) {
  const lines = useLines(file)
  const [mapping, change] = useState(/** @type {Mapping} */ ({}))
  const { table, isReading } = usePreview(file, mapping)
  const [runs, setRuns] = useState(/** @type {readonly Mapping[]} */ ([]))
  const [isRefused, setIsRefused] = useState(false)
  const answers = useRef(/** @type {HTMLElement | null} */ (null))
  const isSmall = lines !== undefined && lines !== null && lines <= SHOWN_ROWS
  // The button that had the focus may be gone.
  useEffect(() => {
    if (runs.length > 0) answers.current?.focus()
  }, [runs])
  if (lines === undefined) return html`<p class="quiet" role="status">The rows are being counted …</p>`
  const isChanged = Object.keys(mapping).length > 0
  const chosen = isRefused && table !== undefined ? { ...shownIn(table), ...mapping } : mapping
  const start = () => {
    setIsRefused(false)
    setRuns([...runs, chosen])
    change(chosen)
  }
  const run = runs.at(-1) ?? (isSmall ? {} : undefined)
  const isOther = run !== undefined && !isSame(chosen, run)
  const what = lines === null ? formatBytes(file.size) : `${formatNumber(lines)} lines, ${formatBytes(file.size)}`
  return html`${
    run === undefined &&
    html`<p role="status"><strong>${file.name}</strong>: ${what}. Each answered row counts as one run.</p>`
  }
  ${
    table &&
    isTable(table) &&
    html`<details open=${isRefused || isChanged}>
      <summary>How the file is read</summary>
      <${ReadAs} table=${{ ...table, ragged_rows: NONE, total_rows: NONE }} mapping=${mapping} change=${change} />
      ${
        isOther &&
        (isRefused || isChanged) &&
        html`<button type="button" disabled=${isReading} onClick=${start}>
          ${isRefused ? 'Run it as shown' : 'Run it again'}
        </button>`
      }
    </details>`
  }
  ${
    run === undefined
      ? html`<div class="buttons">
          <button type="button" class="primary" disabled=${isChanged && isReading} onClick=${start}>
            Start the run
          </button>
        </div>`
      : html`<div tabindex="-1" ref=${answers}>
          <${FileAnswers}
            key=${runs.length}
            ...${{ file, versionId, mapping: run, onRefused: () => setIsRefused(true) }}
          />
        </div>`
  }`
}

/** A row of another length gets an error in its place, and a total an answer. */
const NONE = { count: 0, lines: [] }

/** @param {Preview} table */
function isTable({ format }) {
  return format === 'csv' || format === 'sheet'
}

/**
 * @param {Mapping} one
 * @param {Mapping} other
 */
function isSame(one, other) {
  const { sheet, delimiter, header } = one
  return sheet === other.sheet && delimiter === other.delimiter && header === other.header
}

/**
 * Returns the reading that the controls show.
 *
 * @param {Preview} table
 * @returns {Mapping}
 */
function shownIn({ sheet, delimiter, header }) {
  return {
    header: header.present,
    ...(sheet !== null && { sheet: sheet.name }),
    ...(delimiter !== null && { delimiter: delimiter.character }),
  }
}

/**
 * Counts the lines of a file: undefined at first, null for one that cannot be read here, of which the service says what is
 * wrong with it.
 *
 * @param {File} file
 */
function useLines(file) {
  const [lines, setLines] = useState(/** @type {number | null | undefined} */ (undefined))
  useEffect(() => {
    const leaving = new AbortController()
    countLines(file, leaving.signal).then(
      (count) => {
        if (!leaving.signal.aborted) setLines(count)
      },
      () => {
        if (!leaving.signal.aborted) setLines(null)
      },
    )
    return () => leaving.abort()
  }, [])
  return lines
}
