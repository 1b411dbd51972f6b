import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Field } from '../../../parts/form/field.js'
import { formatNumber } from '../../../parts/format.js'
import { later } from '../../../parts/read/later.js'

/** Answers that are shown, and rows that a file may have to be run without a question. */
export const SHOWN_ROWS = 100

const ChosenFile = later(async () => (await import('./chosen-file.js')).ChosenFile)

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
        hint=${`CSV, TSV, Excel, JSON or JSON lines; drop it here, or choose it. Each answered row counts as one run; a row with an error costs nothing. A file of more than ${formatNumber(SHOWN_ROWS)} rows is run once you confirm it.`}
      />
      ${file && html`<${ChosenFile} key=${`${file.name} ${file.lastModified} ${file.size}`} file=${file} versionId=${versionId} />`}
    </section>`
}
