import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { ErrorBox } from '../../parts/error.js'
import { Field } from '../../parts/form/field.js'
import { formatInstant, formatNumber, startOfDay } from '../../parts/format.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { Table } from '../../parts/table/table.js'
import { rawTextIn } from '../../parts/form/text-in.js'

/** @typedef {import('zod').output<typeof import('../../../core/ledger/wire/audit.ts').AuditEntryView>} Entry */
/** @typedef {import('zod').output<typeof import('../../../core/ledger/wire/audit.ts').VerifyAuditAnswer>} Verification */

/** The audit log, since a day when one is chosen. */
export function AuditPage() {
  const { argument, signal } = usePage()
  const since = /^\d{4}-\d{2}-\d{2}$/.test(argument) && !Number.isNaN(Date.parse(argument)) ? argument : undefined
  const query = { since: since && startOfDay(since) }
  const entries = usePaged(
    async (cursor) => {
      /** @type {{ entries: readonly Entry[], next_cursor: string | null }} */
      const page = await get(withQuery('/v1/account/audit-log', { ...query, limit: 50, cursor }), signal)
      return { items: page.entries, next: page.next_cursor }
    },
    [since],
  )
  const csv = withQuery('/v1/account/audit-log', { ...query, format: 'csv' })
  return html`<div class="toolbar"><${SinceForm} chosen=${since} /><${VerifyChain} csv=${csv} signal=${signal} /></div>
    <${Table}
      caption="Actions, newest first"
      paged=${entries}
      empty="No actions in this time."
      filter=${(/** @type {Entry} */ { op, sentence, actor, payload }) => `${op} ${sentence} ${actor} ${detailsOf(payload)}`}
      columns=${COLUMNS}
    />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Entry>[]} */
const COLUMNS = [
  { title: 'When', cell: ({ at }) => html`<time datetime=${at}>${formatInstant(at)}</time>` },
  { title: 'What', cell: ({ sentence, actor }) => html`<span class="sentence" title=${actor}>${sentence}</span>` },
  {
    title: 'Details',
    cell: ({ op, payload }) => html`<span class="payload"><code>${op}</code> ${detailsOf(payload)}</span>`,
    isWide: true,
  },
]

/** @param {{ chosen: string | undefined }} props */
function SinceForm({ chosen }) {
  // With a button: a date that is typed is a date after its first digit already.
  const onSubmit = (/** @type {SubmitEvent & { currentTarget: HTMLFormElement }} */ event) => {
    event.preventDefault()
    const day = rawTextIn(new FormData(event.currentTarget), 'since')
    location.hash = day === '' ? '#/audit' : `#/audit/${day}`
  }
  return html`<form class="row" onSubmit=${onSubmit}>
    <${Field} label="Since" name="since" id="since" type="date" defaultValue=${chosen} />
    <button type="submit" id="show-since">Show</button>
  </form>`
}

/** @param {{ csv: string, signal: AbortSignal }} props */
function VerifyChain({ csv, signal }) {
  const [state, setState] = useState(
    /** @type {{ isChecking?: boolean, result?: Verification, error?: unknown }} */ ({}),
  )
  const verify = async () => {
    if (state.isChecking) return
    setState({ isChecking: true })
    try {
      setState({ result: await get('/v1/account/audit-log/verify', signal) })
    } catch (error) {
      setState({ error })
    }
  }
  return html`<div>
    <div class="buttons">
      <button type="button" class="primary" aria-disabled=${state.isChecking === true} onClick=${() => void verify()}>
        Verify the chain
      </button>
      <a class="button" href=${csv} download="audit-log.csv">Download as CSV</a>
    </div>
    <div role="status">
      ${state.isChecking && html`<p>Checking the chain …</p>`}
      ${state.result && (state.result.verified ? whole(state.result) : broken(state.result))}
    </div>
    <${ErrorBox} error=${state.error} />
  </div>`
}

/** @param {Verification} found */
function whole({ chain_length: count, checkpoints, pruned_through: pruned }) {
  const parts = [
    `The chain is intact: ${formatNumber(count)} entries, none changed or missing;`,
    `${formatNumber(checkpoints)} signed checkpoints agree.`,
    ...(pruned === 0
      ? []
      : [`Entries up to number ${formatNumber(pruned)} were removed at the end of their retention.`]),
  ]
  return html`<p class="good">${parts.join(' ')}</p>`
}

/** @param {Verification} found */
function broken({ chain_length: count, broken_at: at, breaks }) {
  const place = at === undefined ? '' : ` at entry ${formatNumber(at)}`
  return html`<div class="bad">
    <p>The chain is broken${place}, out of ${formatNumber(count)} entries.</p>
    <ul>
      ${breaks.map(({ seq, reason }, i) => html`<li key=${i}>${seq ?? '–'}: ${reason}</li>`)}
    </ul>
  </div>`
}

/** @param {unknown} payload */
function detailsOf(payload) {
  const facts = Object.entries(payload ?? {}).filter(([, value]) => value !== null)
  if (facts.length === 0) return ''
  return facts.map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')
}
