import { html } from 'htm/preact'
import { call, get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { askFirst } from '../../parts/dialog/ask.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { Heading } from '../../parts/facts.js'
import { formatBytes, formatInstant, formatNumber, formatWord } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { useRead } from '../../parts/read/use-read.js'
import { say } from '../../parts/say.js'
import { Table } from '../../parts/table/table.js'
import { RecallForm } from './recall-form.js'
import { UploadForm } from './upload-form.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/documents/documents.ts').ListDocumentsAnswer>} Documents */
/** @typedef {Documents['documents'][number]} Document */
/** @typedef {Documents['namespaces'][number]} Namespace */

/** The documents of a namespace with their state, and a search that shows how each part was ranked. */
export function DocumentsPage() {
  const { argument, session } = usePage()
  const read = useRead(async (signal) => {
    /** @type {Documents} */
    const { namespaces } = await get('/v1/documents?limit=1', signal)
    return namespaces
  }, [])
  return html`<${Reading} of=${read}>
    ${(/** @type {readonly Namespace[]} */ namespaces) => {
      const chosen = argument === '' ? namespaces[0]?.namespace : argument
      return html`<${NamespaceChoice} namespaces=${namespaces} chosen=${chosen} />
        ${chosen !== undefined && html`<${OfNamespace} key=${chosen} namespace=${chosen} totals=${namespaces.find(({ namespace }) => namespace === chosen)} />`}
        ${session.can('documents:write') && html`<${UploadForm} namespace=${chosen ?? ''} />`}`
    }}
  <//>`
}

/** @param {{ namespaces: readonly Namespace[], chosen: string | undefined }} props */
function NamespaceChoice({ namespaces, chosen }) {
  if (namespaces.length === 0) {
    return html`<p class="empty">
      No documents yet. Upload files here, or run <code>svc embed -n support FILES</code>: their parts ground models and
      answer <code>svc recall</code>.
    </p>`
  }
  const choose = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => {
    location.hash = `#/documents/${encodeURIComponent(currentTarget.value)}`
  }
  return html`<div class="field row">
    <label for="namespace">Namespace</label>
    <select id="namespace" name="namespace" onChange=${choose}>
      ${namespaces.map(
        ({ namespace: name }) => html`<option key=${name} value=${name} selected=${name === chosen}>${name}</option>`,
      )}
    </select>
  </div>`
}

/** @param {{ namespace: string, totals: Namespace | undefined }} props */
function OfNamespace({ namespace, totals }) {
  const { signal, session, reload } = usePage()
  const actions = useActions()
  const documents = usePaged(
    async (cursor) => {
      /** @type {Documents} */
      const page = await get(withQuery('/v1/documents', { namespace, limit: 50, cursor }), signal)
      return { items: page.documents, next: page.next_cursor }
    },
    [namespace],
  )
  const remove = (/** @type {Document} */ document) => () =>
    actions.run(async () => {
      const isGone = await askFirst({
        title: 'Delete the document?',
        text: `${document.path} and its parts are deleted from ${namespace}. A file of your workspace stays where it is.`,
        confirm: 'Delete it',
        perform: async () => await call('DELETE', `/v1/documents/${document.document_id}`),
      })
      if (!isGone) return
      say(`${document.path} is deleted.`)
      reload()
    })
  const columns = session.can('documents:write') ? [...COLUMNS, deleteColumn(remove)] : COLUMNS
  return html`${totals !== undefined && totals.chunks > 0 && html`<${RecallForm} namespace=${namespace} />`}
    <${Heading} text="Documents of ${namespace}" />
    ${totals !== undefined && html`<p class="quiet">${totalsText(totals)}</p>`}
    <${ErrorBox} error=${actions.error} />
    <${Table}
      caption="Documents of ${namespace}, newest first"
      paged=${documents}
      empty="No documents in this namespace."
      keyOf=${(/** @type {Document} */ { document_id: id }) => id}
      filter=${(/** @type {Document} */ { path, modality, reason }) => `${path} ${modality} ${reason ?? ''}`}
      columns=${columns}
    />`
}

/** @param {Namespace} totals */
function totalsText({ documents, chunks, bytes }) {
  const of = `${formatNumber(documents)} ${documents === 1 ? 'document' : 'documents'}`
  return `${of} of ${formatBytes(bytes)}, ${formatNumber(chunks)} ${chunks === 1 ? 'part' : 'parts'} to find`
}

/** @type {readonly import('../../parts/table/table.js').Column<Document>[]} */
const COLUMNS = [
  {
    title: 'Document',
    cell: ({ path }) => html`<span class="sentence">${path}</span>`,
    sort: ({ path }) => path,
    isWide: true,
  },
  { title: 'Kind', cell: ({ modality }) => formatWord(modality), sort: ({ modality }) => modality },
  {
    title: 'Text',
    cell: stateOf,
    sort: ({ content_extracted: isRead, reason }) => (isRead ? 2 : 0) - (reason ? 1 : 0),
  },
  { title: 'Parts', cell: ({ chunks }) => formatNumber(chunks), sort: ({ chunks }) => chunks, isNumeric: true },
  { title: 'Vectors', cell: vectorsOf },
  { title: 'Indexed', cell: ({ indexed_at: at }) => formatInstant(at), sort: ({ indexed_at: at }) => at },
]

/** @param {(document: Document) => () => void} remove */
function deleteColumn(remove) {
  return {
    title: '',
    cell: (/** @type {Document} */ document) =>
      html`<button type="button" class="small" aria-label="Delete ${document.path}" onClick=${remove(document)}>
        Delete
      </button>`,
  }
}

/**
 * Whether the text of a document was extracted, and why not.
 *
 * @param {Document} document
 */
function stateOf({ content_extracted: isRead, reason }) {
  if (!isRead) return html`<${Badge} status="failed" text="No text" /> <span class="sentence">${reason}</span>`
  if (reason !== null) return html`<${Badge} status="gated" text="In part" /> <span class="sentence">${reason}</span>`
  return html`<${Badge} status="ready" text="Extracted" />`
}

/** @param {Document} document */
function vectorsOf({ embedding_model: model, chunks }) {
  if (model === null) return html`<span class="quiet">${chunks === 0 ? '–' : 'none'}</span>`
  return html`<span title=${model}>${model.split('@')[0]}</span>`
}
