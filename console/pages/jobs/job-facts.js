import { html } from 'htm/preact'
import { Badge } from '../../parts/badge.js'
import { errorText } from '../../parts/error.js'
import { Facts } from '../../parts/facts.js'
import { formatBytes, formatInstant, formatNumber, formatScore } from '../../parts/format.js'
import { learnedFacts } from '../../parts/evidence/captures.js'
import { productionFacts } from '../../parts/evidence/production.js'
import { tolerancesText } from '../compile/tolerances.js'
import { Score } from '../../parts/evidence/score.js'
/** @typedef {import('./job.js').Job} Job */

/** @param {{ job: Job, status: string }} props */
export function JobFacts({ job, status }) {
  const { evals_summary: evals, accepted, unanswered } = job
  const ended = job.completed_at ?? job.failed_at
  return html`<${Facts}
    facts=${[
      [
        'Status',
        html`<${Badge} status=${status} />
          ${job.asking && html`<${Badge} status="open" text="waiting for an answer" />`}`,
      ],
      ['K-score', html`<${Score} score=${job.k_score} interval=${job.k_interval} />`],
      ['Floor', formatScore(job.k_score_floor)],
      job.tolerances !== undefined && ['Numbers may be off by', tolerancesText(job.tolerances)],
      ...productionFacts({ ...job, accepted: accepted?.state === 'signed' ? accepted : undefined }),
      ['Examples', formatNumber(job.examples_n)],
      ...learnedFacts(job.captures),
      unanswered && ['Without an answer', `${formatNumber(unanswered.count)}, not learned from${linesOf(unanswered)}`],
      evals && ['Evaluated', `${formatNumber(evals.total - evals.failing)} of ${formatNumber(evals.total)} right`],
      job.recipe_kind !== undefined && ['Kind', job.recipe_kind],
      job.size_mb !== undefined && ['Size', formatBytes(job.size_mb * 1e6)],
      job.deploy_status !== undefined && ['Deploy hook', hookText(job.deploy_status, job.deploy_error_code)],
      ['Submitted', formatInstant(job.created_at)],
      ended !== undefined && ['Ended', formatInstant(ended)],
      job.cid !== undefined && ['CID', html`<code class="long">${job.cid}</code>`],
      ['Id', html`<code class="long">${job.id}</code>`],
    ]}
  />`
}

const HOOK_WORDS = {
  pending: 'not sent yet',
  sent: 'sent',
  failed: 'not taken',
  skipped: 'not sent, there is no artifact to deploy',
}

/**
 * @param {NonNullable<Job['deploy_status']>} status
 * @param {string | undefined} code
 */
function hookText(status, code) {
  return code === undefined ? HOOK_WORDS[status] : html`${HOOK_WORDS[status]} (<code>${code}</code>)`
}

/** @param {NonNullable<Job['unanswered']>} rows */
function linesOf({ count, lines }) {
  if (lines.length === 0) return ''
  return ` (${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${count > lines.length ? ', …' : ''})`
}

/**
 * Says why a job has no artifact.
 *
 * @param {{ job: Job }} props
 */
export function Outcome({ job: { error, error_code: code } }) {
  if (error === undefined) return null
  return html`<div class="error" role="alert">
    <p>${errorText(error)}</p>
    ${code !== undefined && html`<p class="quiet"><code>${code}</code></p>`}
  </div>`
}
