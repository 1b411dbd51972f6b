import { html } from 'htm/preact'
import { useRef, useState } from 'preact/hooks'
import { call } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { newAttempt } from '../../parts/form/attempt.js'
import { ChoiceFields } from './choice-fields.js'
import { Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { chosenFile, rowsIn } from './chosen-file.js'
import { Preview } from './preview.js'
import { Starters } from './starters.js'
import { usePreview } from './use-preview.js'

/** The form that starts a compile. */
export function CompilePage() {
  const { signal } = usePage()
  /** Examples that are sent again after a lost answer make one job. */
  const attempt = useRef(newAttempt())
  const place = useRef(/** @type {HTMLDivElement | null} */ (null))
  const [rows, setRows] = useState(/** @type {File | undefined} */ (undefined))
  const [mapping, setMapping] = useState(/** @type {import('./use-preview.js').Mapping} */ ({}))
  const previewed = usePreview(rows, mapping)
  const renew = () => {
    attempt.current = newAttempt()
  }
  /** Other rows are read in their own way. */
  const readRows = () => {
    const form = place.current?.querySelector('form')
    if (!form) return
    setRows(rowsIn(new FormData(form)))
    setMapping({})
  }
  const start = async (/** @type {FormData} */ data) => {
    const body = new FormData()
    const spec = {
      task: data.get('task'),
      k_score_floor: Number(data.get('floor')),
      recipe_kind: data.get('kind'),
      mode: 'async',
      ...(Object.keys(mapping).length > 0 && { mapping }),
    }
    body.set('spec', JSON.stringify(spec))
    body.set('file', chosenFile(data))
    /** @type {{ job_id: string }} */
    const { job_id: id } = await call('POST', '/v1/compile', body, { headers: { 'Idempotency-Key': attempt.current } })
    if (!signal.aborted) location.hash = `#/job/${id}`
  }
  const fill = (/** @type {import('./starters.js').Template} */ template) => {
    renew()
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
      <${Form} isLarge action="Start the compile" perform=${start} onInput=${renew}>
        <${Field}
          as="textarea"
          label="Task"
          name="task"
          required
          rows="2"
          maxlength="4000"
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
        <${Preview}
          previewed=${previewed}
          mapping=${mapping}
          change=${(/** @type {import('./use-preview.js').Mapping} */ next) => {
            renew()
            setMapping(next)
          }}
        />
        <${ChoiceFields} floor=${0.85} />
      <//>
    </div>`
}
