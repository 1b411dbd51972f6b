import { html } from 'htm/preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { call, get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { useDraft } from '../../parts/draft/use-draft.js'
import { newAttempt } from '../../parts/form/attempt.js'
import { ChoiceFields } from '../compile/choice-fields.js'
import { tolerancesIn, tolerancesText } from '../compile/tolerances.js'
import { Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { textIn } from '../../parts/form/text-in.js'
import { formatNumber } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { AddedRows } from './added-rows.js'
import { changesOf, isEdited } from './changes.js'
import { EditableRows } from './editable-rows.js'
/** @typedef {import('../jobs/job.js').Job} Job */
/** @typedef {import('./changes.js').Edit} Edit */

/**
 * @typedef {{ task?: string, floor?: number, kind?: string, tolerances?: string, edits?: readonly (readonly [string, Edit])[],
 *   added?: readonly import('./changes.js').Added[] }} Draft
 */

/** The base that an adapter is fitted on where the job before had none. */
const DEFAULT_BASE = 'nano'

/** The rows and choices of an earlier job, to be changed and compiled again: `#/again/JOB` or `#/again/JOB:KIND`. */
export function AgainPage() {
  const { argument } = usePage()
  const [id = '', kind = ''] = argument.split(':')
  const read = useRead(
    async (signal) => /** @type {Job} */ (await get(`/v1/compile/${encodeURIComponent(id)}`, signal)),
    [id],
  )
  return html`<${Reading} of=${read}>${(/** @type {Job} */ job) => html`<${AgainForm} job=${job} kind=${kind} />`}<//>`
}

/** @param {{ job: Job, kind: string }} props */
function AgainForm({ job, kind }) {
  const { signal } = usePage()
  /** Changes that are sent again after a lost answer make one job. */
  const attempt = useRef(newAttempt())
  const draft = useDraft(`again/${job.id}`)
  const place = useRef(/** @type {HTMLDivElement | null} */ (null))
  const [first] = useState(() => /** @type {Draft} */ (draft.first ?? {}))
  const [edits, setEdits] = useState(/** @type {ReadonlyMap<string, Edit>} */ (new Map(first.edits)))
  const [added, setAdded] = useState(/** @type {readonly import('./changes.js').Added[]} */ (first.added ?? []))
  const [forms, setForms] = useState(
    /** @type {import('./changes.js').Forms} */ ({ areInputsTexts: true, areOutputsTexts: true, fields: [] }),
  )
  const renew = () => {
    attempt.current = newAttempt()
  }
  const hasChanged = useRef(false)
  useEffect(() => {
    if (hasChanged.current) keep()
    hasChanged.current = true
  }, [edits, added])
  const keep = () => {
    const form = place.current?.querySelector('form')
    if (!form) return
    const data = new FormData(form)
    draft.keep({
      task: textIn(data, 'task'),
      floor: Number(data.get('floor')),
      kind: textIn(data, 'kind'),
      tolerances: textIn(data, 'tolerances'),
      edits: [...edits],
      added,
    })
  }
  const start = async (/** @type {FormData} */ data) => {
    const changes = changesOf(edits.values(), added, forms)
    const body = { ...changes, ...choicesOf(data, job) }
    if (changes.examples.length + changes.remove.length === 0 && Object.keys(body).length === 2) {
      throw new Error('Change a row, the task, the floor or the kind first.')
    }
    /** @type {{ job_id: string }} */
    const { job_id: id } = await call(
      'POST',
      `/v1/compile/${job.id}/again`,
      { ...body, mode: 'async' },
      { headers: { 'Idempotency-Key': attempt.current } },
    )
    draft.remove()
    if (!signal.aborted) location.hash = `#/job/${id}`
  }
  const changeRow = (/** @type {Edit} */ edit) => {
    renew()
    setEdits((before) => new Map(before).set(edit.row.id, edit))
  }
  return html`<p class="lead">
      The settings of <a href="#/job/${job.id}">the earlier job</a> are kept, except for what you change here.
    </p>
    <div ref=${place}>
      <${Form}
        isLarge
        action="Compile again"
        perform=${start}
        onInput=${() => {
          renew()
          keep()
        }}
      >
        <${EditableRows} job=${job} edits=${edits} change=${changeRow} onForms=${setForms} />
        <${AddedRows}
          added=${added}
          fields=${forms.fields}
          change=${(/** @type {readonly import('./changes.js').Added[]} */ next) => {
            renew()
            setAdded(next)
          }}
        />
        <${Field}
          as="textarea"
          label="Task"
          name="task"
          required
          rows="2"
          maxlength="4000"
          defaultValue=${first.task ?? job.task}
        />
        <${ChoiceFields}
          floor=${first.floor ?? job.k_score_floor}
          kind=${kind || first.kind}
          tolerances=${first.tolerances ?? tolerancesText(job.tolerances)}
          isAgain
        />
        <p class="quiet" role="status">${summaryOf([...edits.values()], added)}</p>
      <//>
    </div>`
}

/**
 * Returns the choices that differ from those of the earlier job.
 *
 * @param {FormData} data
 * @param {Job} job
 */
function choicesOf(data, { task: taskBefore, k_score_floor: floorBefore, base_model: base, tolerances }) {
  const task = textIn(data, 'task')
  const floor = Number(data.get('floor'))
  const kind = textIn(data, 'kind')
  const written = textIn(data, 'tolerances')
  return {
    ...(task !== taskBefore && { task }),
    ...(floor !== floorBefore && { k_score_floor: floor }),
    ...(written !== tolerancesText(tolerances) && tolerancesIn(written)),
    ...(kind !== '' && { recipe_kind: kind }),
    ...(kind === 'lora' && base === 'none' && { base_model: DEFAULT_BASE }),
  }
}

/**
 * @param {readonly Edit[]} edits
 * @param {readonly import('./changes.js').Added[]} added
 */
function summaryOf(edits, added) {
  const counts = [
    ['changed', edits.filter((edit) => !edit.isRemoved && isEdited(edit)).length],
    ['left out', edits.filter(({ isRemoved }) => isRemoved).length],
    ['added', added.filter(({ input, output }) => input !== '' || output !== '').length],
  ]
  const words = counts.filter(([, n]) => n !== 0).map(([word, n]) => `${formatNumber(Number(n))} ${word}`)
  return words.length === 0 ? 'No row is changed.' : `Rows: ${words.join(', ')}.`
}
