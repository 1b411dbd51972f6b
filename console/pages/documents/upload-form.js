import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { call } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { formatNumber } from '../../parts/format.js'
import { say } from '../../parts/say.js'
import { Table } from '../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/documents/embed.ts').EmbedView>} Indexing */
/** @typedef {Indexing['files'][number]} IndexedFile */

/**
 * Uploads files into a namespace and shows what became of each.
 *
 * @param {{ namespace: string }} props
 */
export function UploadForm({ namespace }) {
  const { reload } = usePage()
  const [indexing, setIndexing] = useState(/** @type {Indexing | undefined} */ (undefined))
  const upload = async (/** @type {FormData} */ data) => {
    /** @type {Indexing} */
    const answer = await call('POST', '/v1/embed', data)
    setIndexing(answer)
    say(`${formatNumber(answer.indexed)} indexed, ${formatNumber(answer.skipped)} unchanged.`)
    reload()
  }
  return html`<${Form} title="Upload documents" action="Upload" perform=${upload}>
      <${Field}
        label="Into the namespace"
        name="namespace"
        id="upload-namespace"
        required
        autocomplete="off"
        defaultValue=${namespace}
        hint="Lower-case letters, digits and dashes."
      />
      <${Field}
        label="Files"
        name="file"
        type="file"
        multiple
        required
        hint="Text, Markdown, code, HTML, PDF and office files."
      />
    <//>
    <div role="status">
      ${
        indexing !== undefined &&
        html`<h2>What became of the files</h2>
          <${Table}
            caption="The uploaded files"
            rows=${indexing.files}
            empty="No files."
            keyOf=${(/** @type {IndexedFile} */ { path }) => path}
            columns=${COLUMNS}
          />`
      }
    </div>`
}

/** @type {readonly import('../../parts/table/table.js').Column<IndexedFile>[]} */
const COLUMNS = [
  { title: 'File', cell: ({ path }) => html`<span class="sentence">${path}</span>`, isWide: true },
  { title: 'State', cell: ({ state }) => state },
  { title: 'Why', cell: ({ reason }) => html`<span class="payload">${reason ?? ''}</span>` },
]
