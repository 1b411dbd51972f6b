import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { call, get } from '../../../api.js'
import { ErrorBox, useActions } from '../../../parts/error.js'
import { Facts } from '../../../parts/facts.js'
import { formatInstant, formatNumber, formatScore } from '../../../parts/format.js'
import { later } from '../../../parts/read/later.js'
import { Reading } from '../../../parts/read/reading.js'
import { useRead } from '../../../parts/read/use-read.js'
import { Table } from '../../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../../core/compile/wire/artifacts/diagnosis.ts').DiagnosisAnswer>} Diagnosis */
/** @typedef {Diagnosis['per_category'][number]} Category */
/** @typedef {import('./failure-modes.js').Modes} Modes */
/** @typedef {{ diagnosis: Diagnosis, modes: Modes }} Reports */
/** @typedef {import('../../../../core/compile/wire/artifacts/diagnosis.ts').ReportKind} ReportKind */

const FailureModes = later(async () => (await import('./failure-modes.js')).FailureModes)

/**
 * Where an artifact is right and where it is wrong: its categories with their intervals, and its failure modes with rows.
 *
 * @param {{ cid: string, stored: readonly ReportKind[] }} props stored: the kinds of which a report is stored
 */
export function DiagnosisSection({ cid, stored }) {
  const [made, setMade] = useState(/** @type {Reports | undefined} */ (undefined))
  const actions = useActions()
  const name = encodeURIComponent(cid)
  const isStored = stored.includes('diagnosis') && stored.includes('failure_modes')
  const read = useRead(
    async (signal) => {
      if (!isStored) return { reports: undefined }
      /** @type {[Diagnosis, Modes]} */
      const [diagnosis, modes] = await Promise.all([
        get(`/v1/diagnose/${name}`, signal),
        get(`/v1/failure-modes/${name}`, signal),
      ])
      return { reports: { diagnosis, modes } }
    },
    [name, isStored],
  )
  const diagnose = () =>
    actions.run(async () => {
      const body = { artifact_cid: cid }
      /** @type {Diagnosis} */
      const diagnosis = await call('POST', '/v1/diagnose', body)
      /** @type {Modes} */
      const modes = await call('POST', '/v1/failure-modes', body)
      setMade({ diagnosis, modes })
    })
  return html`<section aria-labelledby="diagnosis">
    <h2 id="diagnosis">Diagnosis</h2>
    <${ErrorBox} error=${actions.error} />
    <${Reading} of=${read}>
      ${(/** @type {{ reports: Reports | undefined }} */ { reports }) => {
        const shown = made ?? reports
        return html`${shown === undefined ? html`<p class="quiet">Not diagnosed yet: the report reads the rows that the artifact was scored on.</p>` : html`<${Report} ...${shown} />`}
          <button type="button" onClick=${diagnose}>${shown === undefined ? 'Diagnose' : 'Diagnose again'}</button>`
      }}
    <//>
  </section>`
}

/** @param {Reports} props */
function Report({ diagnosis, modes }) {
  const { per_category: categories, recommendations, generated_at: at, n } = diagnosis
  return html`<p class="quiet">${formatNumber(n)} rows, ${formatInstant(at)}</p>
    <${Table}
      caption="Categories of rows, the worst first"
      rows=${categories}
      empty="No rows."
      keyOf=${(/** @type {Category} */ { name }) => name}
      columns=${COLUMNS}
    />
    <${Facts}
      facts=${recommendations.map(({ action, reason, target_count: count }) => [ADVICE[action], count === undefined ? reason : `${reason}; add ${formatNumber(count)} rows`])}
    />
    <${FailureModes} modes=${modes} />`
}

/** @type {Readonly<Record<Diagnosis['recommendations'][number]['action'], string>>} */
const ADVICE = {
  promote_to_production: 'Promote to production',
  capture_more: 'Capture more',
  inspect_captures: 'Inspect captures',
}

/** @type {readonly import('../../../parts/table/table.js').Column<Category>[]} */
const COLUMNS = [
  { title: 'Category', cell: ({ name }) => name, isWide: true },
  { title: 'Rows', cell: ({ n }) => formatNumber(n), sort: ({ n }) => n, isNumeric: true },
  {
    title: 'Accuracy',
    cell: ({ accuracy }) => formatScore(accuracy),
    sort: ({ accuracy }) => accuracy,
    isNumeric: true,
  },
  { title: 'K-score and its interval', cell: scoreOf, sort: ({ k_score: k }) => k },
  {
    title: 'Wrong rows',
    cell: ({ worst_sample_ids: ids }) => ids.map((id) => html`<code key=${id}>${id}</code> `),
  },
]

/** @param {Category} category */
function scoreOf({ k_score: k, k_score_ci_lo: low, k_score_ci_hi: high }) {
  if (low === null || high === null) return html`${formatScore(k)} <span class="quiet">under 30 rows</span>`
  return html`<span class="interval"
    >${formatScore(k)}<span class="quiet">${formatScore(low)}–${formatScore(high)}</span></span
  >`
}
