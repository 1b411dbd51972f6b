import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../../api.js'
import { Badge } from '../../parts/badge.js'
import { RowButton } from '../../parts/buttons/row-button.js'
import { textOf } from '../../parts/table/difference.js'
import { Segments } from '../../parts/buttons/segments.js'
import { Table } from '../../parts/table/table.js'
import { isEdited } from './changes.js'
import { InputFields, memberFields } from './input-fields.js'
import { Result } from '../jobs/results/row-cells.js'
import { useRows } from '../jobs/results/use-rows.js'
/** @typedef {import('../jobs/results/use-rows.js').Row} Row */
/** @typedef {import('./changes.js').Edit} Edit */
/** @typedef {import('./changes.js').Forms} Forms */

/**
 * The rows of a job with fields for input and answer. Edits stay when other rows are shown.
 *
 * @param {{ job: import('../jobs/job.js').Job, edits: ReadonlyMap<string, Edit>, change: (edit: Edit) => void,
 *   onForms: (forms: Forms) => void }} props `onForms` is called with
 *   the form of the values that are read
 */
export function EditableRows({ job, edits, change, onForms }) {
  const { failing_rows: failing = [], what_would_help: help = [] } = job
  const hasToLabel = help.some(({ kind }) => kind === 'label_rows')
  const [shown, setShown] = useState(firstShown(job))
  const paged = useRows(job.id, {
    only: shown === 'wrong' ? 'wrong' : undefined,
    side: shown === 'to_label' ? shown : undefined,
  })
  const { rows } = paged
  const fields = memberFields((rows ?? []).flatMap(({ input }) => (input === undefined ? [] : [input])))
  useEffect(() => {
    const labelled = (rows ?? []).filter(({ expected }) => expected !== undefined)
    if (labelled.length === 0) return
    onForms({
      fields,
      areInputsTexts: labelled.every(({ input }) => typeof input === 'string'),
      areOutputsTexts: labelled.every(({ expected }) => typeof expected === 'string'),
    })
  }, [rows?.length, shown])
  if (paged.error instanceof ApiError && paged.error.code === 'rows_expired') {
    return html`<p class="notice">
      The rows of this job are no longer kept. <a href="#/compile">Compile them again</a> from your own file.
    </p>`
  }
  const options = [
    ...(failing.length > 0 ? [['wrong', 'Wrong']] : []),
    ...(hasToLabel ? [['to_label', 'To label']] : []),
    ['', 'All'],
  ]
  return html`<h2>Rows</h2>
    ${options.length > 1 && html`<div class="toolbar"><${Segments} label="Show" options=${options} chosen=${shown} choose=${setShown} /></div>`}
    <div class="editing">
      <${Table}
        caption="Rows to edit"
        paged=${paged}
        empty="No rows match."
        keyOf=${(/** @type {Row} */ { id }) => id}
        columns=${columnsOf(edits, change, fields)}
      />
    </div>`
}

/**
 * Returns which rows are shown first: those of the most useful advice.
 *
 * @param {import('../jobs/job.js').Job} job
 */
function firstShown({ failing_rows: failing = [], what_would_help: [first] = [] }) {
  if (first?.kind === 'label_rows') return 'to_label'
  // Rows that contradict each other are kept apart from the wrong ones.
  if (first?.kind === 'contradictory_rows') return ''
  return failing.length > 0 ? 'wrong' : ''
}

/**
 * @param {ReadonlyMap<string, Edit>} edits
 * @param {(edit: Edit) => void} change
 * @param {readonly import('./input-fields.js').MemberField[]} fields members of the inputs
 * @returns {readonly import('../../parts/table/table.js').Column<Row>[]}
 */
function columnsOf(edits, change, fields) {
  const editOf = (/** @type {Row} */ row) => edits.get(row.id) ?? { row }
  /**
   * @param {Row} row
   * @param {'input' | 'output'} member
   * @param {unknown} value
   */
  const field = (row, member, value) => {
    if (row.digests !== undefined) return html`<span class="quiet">digest only</span>`
    const edit = editOf(row)
    return html`<${InputFields}
      text=${edit[member] ?? textOf(value)}
      fields=${member === 'input' ? fields : []}
      label=${`${member === 'input' ? 'Input' : 'Answer'} of ${row.id}`}
      disabled=${edit.isRemoved === true}
      change=${(/** @type {string} */ text) => change({ ...edit, [member]: text })}
    />`
  }
  return [
    { title: 'Row', cell: ({ id }) => html`<code class="id">${id}</code>` },
    {
      title: 'Result',
      cell: (row) =>
        isEdited(editOf(row)) ? html`<${Badge} status="open" text="changed" />` : html`<${Result} row=${row} />`,
    },
    { title: 'Input', cell: (row) => field(row, 'input', row.input), isWide: true },
    { title: 'Answer', cell: (row) => field(row, 'output', row.expected), isWide: true },
    {
      title: '',
      cell(row) {
        const { isRemoved = false } = editOf(row)
        return html`<${RowButton}
          text=${isRemoved ? 'Keep' : 'Leave out'}
          of=${row.id}
          onClick=${() => change({ ...editOf(row), isRemoved: !isRemoved })}
        />`
      },
    },
  ]
}
