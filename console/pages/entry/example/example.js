import { html } from 'htm/preact'
import { useEffect, useReducer, useRef, useState } from 'preact/hooks'
import { errorText } from '../../../parts/error.js'
import { draftName, keepDraft, GUEST, readDraft, removeDraft } from '../../../parts/draft/drafts.js'
import { Field } from '../../../parts/form/field.js'
import { newAttempt } from '../../../parts/form/attempt.js'
import { Form } from '../../../parts/form/form.js'
import { rawTextIn } from '../../../parts/form/text-in.js'
import { formatNumber } from '../../../parts/format.js'
import { rowsIn, chosenFile } from '../../compile/chosen-file.js'
import { ColumnsTable } from '../../compile/columns-table.js'
import { ReadAs } from '../../compile/read-as.js'
import { problemText } from '../../compile/problem-text.js'
import { usePreview } from '../../compile/use-preview.js'
import { applyEvent, NO_EVENTS } from '../../jobs/live-job.js'
import { readCells } from './cells.js'
import { compileRows, fillRows } from './fill.js'
import { FilledTable } from './filled-table.js'
import { Outcome } from './outcome.js'
import { SAMPLE } from './sample.js'
/** @typedef {import('../../compile/use-preview.js').Mapping} Mapping */
/** @typedef {import('../../jobs/job.js').Job} Job */
/** @typedef {import('./cells.js').Cells} Cells */

/** Rows without an answer are what there is to fill. */
const AT_FIRST = /** @type {Mapping} */ ({ empty_answers: 'unlabelled' })
const DRAFT = draftName(GUEST, 'example')

/**
 * Rows to paste, and their missing answers: the compile of an anonymous workspace learns from the rows that have one,
 * and its artifact answers the others.
 */
export function Example() {
  const place = useRef(/** @type {HTMLElement | null} */ (null))
  const result = useRef(/** @type {HTMLElement | null} */ (null))
  const leaving = useRef(new AbortController())
  const attempt = useRef(newAttempt())
  const [text] = useState(() => readDraft(DRAFT)?.examples ?? SAMPLE)
  const [file, setFile] = useState(/** @type {File | undefined} */ (undefined))
  const [mapping, setMapping] = useState(AT_FIRST)
  const [live, apply] = useReducer(applyEvent, NO_EVENTS)
  const [job, setJob] = useState(/** @type {Job | undefined} */ (undefined))
  const [filled, setFilled] = useState(/** @type {Cells | undefined} */ (undefined))
  const [isWorking, setIsWorking] = useState(false)
  const previewed = usePreview(file, mapping)
  const cells = useCells(file, previewed.table)
  const forget = () => {
    attempt.current = newAttempt()
    setJob(undefined)
    setFilled(undefined)
  }
  const readRows = () => {
    const form = place.current?.querySelector('form')
    if (!form) return
    forget()
    setFile(rowsIn(new FormData(form)))
    setMapping(AT_FIRST)
  }
  useEffect(() => {
    readRows()
    return () => leaving.current.abort()
  }, [])
  const keep = () => {
    const form = place.current?.querySelector('form')
    if (form) keepDraft(DRAFT, { examples: rawTextIn(new FormData(form), 'examples') })
  }
  const fill = async (/** @type {FormData} */ data) => {
    const { table: preview } = previewed
    if (preview === undefined)
      throw previewed.error ?? new Error('The rows are still being read. Try again in a moment.')
    const [problem] = preview.problems
    if (problem !== undefined) throw new Error(problemText(problem))
    const given = { file: chosenFile(data), mapping, preview }
    const { signal } = leaving.current
    forget()
    setIsWorking(true)
    // On a narrow screen the rows are below the form.
    result.current?.scrollIntoView({ block: 'nearest' })
    try {
      const onEvent = (/** @type {string} */ kind, /** @type {any} */ event) => apply({ kind, data: event })
      const ended = await compileRows(given, { signal, key: attempt.current, onEvent })
      removeDraft(DRAFT)
      setJob(ended)
      if (ended.version_id === undefined || ended.artifact_id === undefined) return
      for await (const table of fillRows(given, ended.version_id, signal)) setFilled(table)
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      setIsWorking(false)
    }
  }
  const shown = filled ?? cells
  return html`<div class="example" ref=${place}>
    <${Form}
      isLarge
      action=${hasGaps(previewed.table) ? 'Fill the empty answers' : 'Learn from these rows'}
      perform=${fill}
    >
      <${Field}
        as="textarea"
        label="Your rows"
        name="examples"
        rows="8"
        class="code"
        spellcheck=${false}
        wrap="off"
        defaultValue=${text}
        onInput=${() => {
          keep()
          readRows()
        }}
        hint="Paste cells from a spreadsheet: a few rows with their answers, and below them rows whose answer is empty."
      />
      <${Field}
        label="Or a file"
        name="file"
        type="file"
        accept=".csv,.tsv,.tab,.txt,.xlsx,.json,.jsonl,.ndjson"
        onChange=${readRows}
        hint="CSV, TSV, Excel or JSON. A file replaces the text above."
      />
      <${Reading}
        ...${{ previewed, mapping }}
        change=${(/** @type {Mapping} */ next) => {
          forget()
          setMapping(next)
        }}
      />
    <//>
    <div class="result" ref=${result}>
      ${isWorking && job === undefined && html`<${Progress} stages=${live.stages} />`}
      <p class="unseen" aria-live="polite">${isWorking ? live.spoken : ''}</p>
      <div role="status">
        ${job && html`<${Outcome} job=${job} table=${filled} isWorking=${isWorking} fileName=${file?.name ?? 'rows.csv'} />`}
      </div>
      ${shown && html`<${FilledTable} table=${shown} isWorking=${isWorking} />`}
    </div>
  </div>`
}

/**
 * Shows the progress of the compile in one line: the rows stay where they are.
 *
 * @param {{ stages: readonly import('../../../parts/progress.js').Stage[] }} props
 */
function Progress({ stages }) {
  const now = stages.find(({ status }) => status === 'running')
  const ended = stages.filter(({ status }) => status === 'done' || status === 'skipped').length
  return html`<p class="batch-progress">
    <progress
      max=${Math.max(stages.length, 1)}
      value=${ended + (now?.fraction ?? 0)}
      aria-label="The compile"
    ></progress>
    <span class="quiet">${now?.label ?? (ended > 0 ? 'Reading the result' : 'Opening a workspace')} …</span>
  </p>`
}

/**
 * Shows in a sentence how the rows are read, with controls that correct it.
 *
 * @param {{ previewed: import('../../compile/use-preview.js').Previewed, mapping: Mapping,
 *   change: (mapping: Mapping) => void }} props
 */
function Reading({ previewed: { table, error, isReading }, mapping, change }) {
  return html`<div role="status" aria-busy=${isReading}>
      ${error !== undefined && html`<p class="notice">${errorText(error)}</p>`}
      ${table && html`<p>${summaryOf(table)}</p>`}
      ${table?.problems.map((problem, i) => html`<p key=${i} class="notice">${problemText(problem)}</p>`)}
    </div>
    ${
      table &&
      html`<details class="preview">
        <summary>Change how the rows are read</summary>
        <${ReadAs} ...${{ table, mapping, change }} />
        <${ColumnsTable} ...${{ table, mapping, change }} />
      </details>`
    }`
}

/** @param {import('../../compile/use-preview.js').Preview} table */
function summaryOf(table) {
  const { rows, unanswered, output, input } = table
  const answered = rows - unanswered.count
  const from = input.columns.length > 0 ? ` from ${input.columns.map(quoted).join(', ')}` : ''
  const answer = output.column === null ? '' : ` The answer is ${quoted(output.column)}${from}.`
  const learned = `${formatNumber(answered)} ${answered === 1 ? 'row has' : 'rows have'} an answer and ${answered === 1 ? 'is' : 'are'} learned from`
  const filled =
    unanswered.count === 0
      ? ''
      : `; ${formatNumber(unanswered.count)} ${unanswered.count === 1 ? 'has' : 'have'} none and ${unanswered.count === 1 ? 'is' : 'are'} filled afterwards`
  return `${learned}${filled}.${answer}${formOf(table)}`
}

/**
 * Whether there is an answer to fill; until the rows are read, as in the rows that the page begins with.
 *
 * @param {import('../../compile/use-preview.js').Preview | undefined} table
 */
function hasGaps(table) {
  return table === undefined || table.unlabelled > 0
}

/** @param {string} name */
function quoted(name) {
  return `“${name}”`
}

/**
 * Returns the form of a file of text: its delimiter and its encoding.
 *
 * @param {import('../../compile/use-preview.js').Preview} table
 */
function formOf({ delimiter, encoding, sheet }) {
  if (sheet !== null) return ` Read from the sheet ${quoted(sheet.name)}.`
  if (delimiter === null || encoding === null) return ''
  return ` Read with the delimiter ${delimiter.name}, encoding ${encoding.name}.`
}

/**
 * The rows as they were given, where the page can read them itself.
 *
 * @param {File | undefined} file
 * @param {import('../../compile/use-preview.js').Preview | undefined} preview
 */
function useCells(file, preview) {
  const [cells, setCells] = useState(/** @type {Cells | undefined} */ (undefined))
  useEffect(() => {
    let isOver = false
    if (file === undefined || preview === undefined) setCells(undefined)
    else {
      readCells(file, preview).then(
        (read) => {
          if (!isOver) setCells(read)
        },
        // A file that was moved or changed since it was chosen; the service says so when it is sent.
        () => setCells(undefined),
      )
    }
    return () => {
      isOver = true
    }
  }, [file, preview])
  return cells
}
