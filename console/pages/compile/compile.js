import { html } from 'htm/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { draftName, GUEST, readDraft, removeDraft } from '../../parts/draft/drafts.js'
import { useDraft } from '../../parts/draft/use-draft.js'
import { newAttempt } from '../../parts/form/attempt.js'
import { ChoiceFields } from './choice-fields.js'
import { Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { rawTextIn } from '../../parts/form/text-in.js'
import { chosenFile, rowsIn } from './chosen-file.js'
import { Preview } from './preview.js'
import { Starters } from './starters.js'
import { tolerancesIn } from './tolerances.js'
import { usePreview } from './use-preview.js'

/** The form that starts a compile. */
export function CompilePage() {
  const { signal } = usePage()
  const draft = useDraft('compile')
  const [first] = useState(() => firstOf(draft.first))
  /** Examples that are sent again after a lost answer make one job. */
  const attempt = useRef(newAttempt())
  const place = useRef(/** @type {HTMLDivElement | null} */ (null))
  const [rows, setRows] = useState(/** @type {File | undefined} */ (undefined))
  const [mapping, setMapping] = useState(/** @type {import('./use-preview.js').Mapping} */ (first.mapping ?? {}))
  const previewed = usePreview(rows, mapping)
  const dataNow = () => {
    const form = place.current?.querySelector('form')
    return form ? new FormData(form) : undefined
  }
  useEffect(() => {
    const data = dataNow()
    if (data === undefined) return
    const input = place.current?.querySelector('input[type=file]')
    if (first.file instanceof File && input instanceof HTMLInputElement)
      data.set('file', chooseAgain(input, first.file))
    setRows(rowsIn(data))
  }, [])
  /** @param {import('./use-preview.js').Mapping} [next] */
  const change = (next = mapping) => {
    attempt.current = newAttempt()
    const data = dataNow()
    if (data) draft.keep(draftOf(data, next))
  }
  /** Other rows are read in their own way. */
  const readRows = () => {
    const data = dataNow()
    if (data === undefined) return
    setRows(rowsIn(data))
    setMapping({})
    change({})
  }
  const start = async (/** @type {FormData} */ data) => {
    const body = new FormData()
    const spec = {
      task: data.get('task'),
      k_score_floor: Number(data.get('floor')),
      recipe_kind: data.get('kind'),
      mode: 'async',
      ...tolerancesIn(rawTextIn(data, 'tolerances')),
      ...(Object.keys(mapping).length > 0 && { mapping }),
    }
    body.set('spec', JSON.stringify(spec))
    body.set('file', chosenFile(data))
    /** @type {{ job_id: string }} */
    const { job_id: id } = await call('POST', '/v1/compile', body, { headers: { 'Idempotency-Key': attempt.current } })
    draft.remove()
    removeDraft(TYPED_BEFORE)
    if (!signal.aborted) location.hash = `#/job/${id}`
  }
  const fill = (/** @type {import('./starters.js').Template} */ template) => {
    const form = place.current?.querySelector('form')
    if (!form) return
    const [task, pasted, file] = ['task', 'examples', 'file'].map((name) => form.elements.namedItem(name))
    if (pasted instanceof HTMLTextAreaElement) {
      pasted.value = template.examples.map((example) => JSON.stringify(example)).join('\n')
    }
    if (file instanceof HTMLInputElement) file.value = ''
    if (task instanceof HTMLTextAreaElement) {
      task.value = template.task
      task.focus()
    }
    readRows()
  }
  return html`<${Starters} fill=${fill} />
    <div ref=${place}>
      <${Form} isLarge action="Start the compile" perform=${start} onInput=${() => change()}>
        <${Field}
          as="textarea"
          label="Task"
          name="task"
          required
          rows="2"
          maxlength="4000"
          defaultValue=${first.task}
          hint="What the artifact should do, in words."
        />
        <${Field}
          as="textarea"
          label="Examples"
          name="examples"
          rows="10"
          class="code"
          spellcheck="false"
          wrap="off"
          defaultValue=${first.examples}
          onInput=${readRows}
          hint="Paste cells of a spreadsheet, CSV, or JSON with input and output."
        />
        <${Field}
          label="Or a file"
          name="file"
          type="file"
          accept=".csv,.tsv,.tab,.txt,.xlsx,.json,.jsonl,.ndjson"
          onChange=${readRows}
          hint="CSV, TSV, Excel, JSON or JSON lines; drop it here, or choose it. It replaces the text above."
        />
        ${
          typeof first.fileName === 'string' &&
          rows === undefined &&
          html`<p class="notice">Choose ${first.fileName} again: a page keeps what you typed, and no files.</p>`
        }
        <${Preview}
          previewed=${previewed}
          mapping=${mapping}
          change=${(/** @type {import('./use-preview.js').Mapping} */ next) => {
            setMapping(next)
            change(next)
          }}
        />
        <${ChoiceFields} floor=${first.floor ?? 0.85} kind=${first.kind} tolerances=${first.tolerances} />
      <//>
    </div>`
}

/** Rows that were typed on the front page, and not compiled there. */
const TYPED_BEFORE = draftName(GUEST, 'example')

/**
 * Returns the first content of the form: the draft of the account, else the rows that were typed before signing in.
 *
 * @param {Draft | undefined} draft
 * @returns {Draft}
 */
function firstOf(draft) {
  if (draft !== undefined) return draft
  const examples = readDraft(TYPED_BEFORE)?.examples
  return typeof examples === 'string' ? { examples, mapping: { empty_answers: 'unlabelled' } } : {}
}
/**
 * @typedef {{ task?: string, examples?: string, floor?: number, kind?: string, tolerances?: string, file?: File,
 *   fileName?: string, mapping?: import('./use-preview.js').Mapping }} Draft
 */

/**
 * @param {FormData} data
 * @param {import('./use-preview.js').Mapping} mapping
 * @returns {Draft}
 */
function draftOf(data, mapping) {
  const file = data.get('file')
  const isChosen = file instanceof File && file.name !== ''
  return {
    task: rawTextIn(data, 'task'),
    examples: rawTextIn(data, 'examples'),
    floor: Number(data.get('floor')),
    kind: rawTextIn(data, 'kind'),
    tolerances: rawTextIn(data, 'tolerances'),
    mapping,
    ...(isChosen && { file, fileName: file.name }),
  }
}

/**
 * Puts a file back into a field that has lost it with its page.
 *
 * @param {HTMLInputElement} input
 * @param {File} file
 */
function chooseAgain(input, file) {
  const chosen = new DataTransfer()
  chosen.items.add(file)
  input.files = chosen.files
  return file
}
