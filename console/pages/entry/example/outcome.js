import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { errorText, ErrorBox, useActions } from '../../../parts/error.js'
import { formatNumber, formatScore } from '../../../parts/format.js'
import { loadPart } from '../../../parts/read/load-part.js'
import { csvFile } from '../../artifacts/batch/csv.js'
import { csvOf } from './cells.js'
/** @typedef {import('../../jobs/job.js').Job} Job */
/** @typedef {import('./cells.js').Cells} Cells */

/**
 * Shows the result of the compile: its quality, and the next steps.
 *
 * @param {{ job: Job, table: Cells | undefined, isWorking: boolean, fileName: string }} props
 */
export function Outcome({ job, table, isWorking, fileName }) {
  if (job.artifact_id === undefined) return html`<${NotSigned} job=${job} />`
  const filled = table?.rows.filter((row) => row.filled !== undefined).length ?? 0
  const left = table?.rows.filter((row) => row.why !== undefined).length ?? 0
  return html`<section class="outcome" aria-labelledby="outcome">
    <h2 id="outcome">${isWorking ? 'Filling your rows …' : headOf(filled, left)}</h2>
    <p>${evidenceOf(job)}</p>
    ${!isWorking && html`<${NextSteps} job=${job} table=${table} fileName=${fileName} filled=${filled} />`}
  </section>`
}

/**
 * @param {number} filled
 * @param {number} left
 */
function headOf(filled, left) {
  const rest = left > 0 ? `, ${formatNumber(left)} have none` : ''
  if (filled + left === 0) return 'The rule is learned'
  return `${formatNumber(filled)} ${filled === 1 ? 'answer is' : 'answers are'} filled${rest}`
}

/** @param {Job} job */
function evidenceOf({ evals_summary: evals, k_score: score, recipe_kind: kind }) {
  const right =
    evals &&
    `Right on ${formatNumber(evals.total - evals.failing)} of ${formatNumber(evals.total)} held-out rows: each was answered by a rule learned without it.`
  const facts = [kind && `Kind: ${kind}`, `K-score ${formatScore(score)}`].filter(Boolean)
  return `${right ? `${right} ` : ''}Signed. ${facts.join(', ')}.`
}

/** @param {{ job: Job, table: Cells | undefined, fileName: string, filled: number }} props */
function NextSteps({ job, table, fileName, filled }) {
  const actions = useActions()
  const share = () =>
    actions.run(async () => {
      const { shareArtifact } = await loadPart(async () => await import('../../artifacts/share-artifact.js'))
      // The person of an anonymous workspace may run its artifacts.
      await shareArtifact({ id: job.id }, true)
    })
  return html`<div class="buttons">
      <a class="button primary" href="#/artifact/${job.id}/run-file">Use it on your whole file</a>
      ${table !== undefined && filled > 0 && html`<${TableLink} table=${table} name=${`${fileName.replace(/\.\w+$/, '')}-filled.csv`} />`}
      <button type="button" onClick=${share}>Share it by a link</button>
      <a class="button" href="#/job/${job.id}">How it was made</a>
      <a class="button" href="#/account">Keep it: make an account</a>
    </div>
    <${ErrorBox} error=${actions.error} />`
}

/** @param {{ table: Cells, name: string }} props */
function TableLink({ table, name }) {
  const [address, setAddress] = useState('')
  useEffect(() => {
    const url = URL.createObjectURL(csvFile([csvOf(table)]))
    setAddress(url)
    return () => URL.revokeObjectURL(url)
  }, [table])
  return html`<a class="button" href=${address} download=${name}>Download these rows</a>`
}

/** @param {{ job: Job }} props */
function NotSigned({ job }) {
  const { status, evals_summary: evals, k_score: score, k_score_floor: floor, error } = job
  if (status !== 'gated') {
    return html`<${ErrorBox} error=${new Error(error ?? `the compile is ${status}`)} />
      <a class="button" href="#/job/${job.id}">See the job</a>`
  }
  const right = evals && `${formatNumber(evals.failing)} of ${formatNumber(evals.total)} held-out rows are wrong`
  const below = `K-score ${formatScore(score)} is below the floor of ${formatScore(floor)}`
  return html`<section class="outcome" aria-labelledby="outcome">
    <h2 id="outcome">Nothing is signed</h2>
    <p class="notice">${errorText([right, below].filter(Boolean).join('; '))}</p>
    <p>
      More examples of the kinds of rows that are wrong help most. The job shows each of them, and what else would help.
    </p>
    <a class="button primary" href="#/job/${job.id}">See the rows and what would help</a>
  </section>`
}
