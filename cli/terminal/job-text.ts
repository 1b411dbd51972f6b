import { tolerancePhrase } from '../../core/compile/rows/equality/tolerance.ts'
import type { JobView } from '../../core/compile/wire/jobs/job.ts'
import { learnedInWords, skippedInWords } from '../../core/compile/wire/jobs/captures.ts'
import { measurementOf } from '../../core/compile/wire/jobs/k-interval.ts'
import type { RentalView } from '../../core/compile/wire/jobs/rentals/rental.ts'
import type { RowView } from '../../core/compile/wire/jobs/explain/rows.ts'
import { describeHelp, describeProduction } from './help-text.ts'
import { paint } from './output.ts'
import { describeRows } from './rows-text.ts'
import { describeUnanswered } from './table-text.ts'
import { formatFacts, formatMegabytes, formatTime } from './table.ts'

/** Details of a job that its document does not hold. */
export interface JobDetails {
  /** The file that the archive was saved as. */
  readonly archive?: string | undefined
  /** Wrong rows to show. */
  readonly rows?: readonly RowView[]
}

/** Describes a finished job: its outcome, its facts, wrong rows, and the next step. */
export function describeJob(job: JobView, { archive, rows = [] }: JobDetails = {}): string {
  const facts: [string, string][] = [['job', job.id]]
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== '') facts.push([name, value])
  }
  const isReady = job.status === 'completed'
  add('status', paint(isReady ? 'green' : job.status === 'gated' ? 'yellow' : 'red', job.status_label))
  add('recipe', job.recipe_kind)
  const score = measurementOf(job.k_score_envelope)
  add('K-score', job.k_score?.toFixed(3))
  if (score !== undefined) {
    const interval = `${score.interval.low.toFixed(3)} to ${score.interval.high.toFixed(3)}`
    add('accuracy', `${score.accuracy.toFixed(3)} on ${score.n} held-out rows (95 %: ${interval})`)
  }
  add('counted as right', job.tolerances?.map(tolerancePhrase).join(', '))
  add('size', job.size_mb === undefined ? undefined : formatMegabytes(job.size_mb))
  add('archive', archive)
  add('CID', job.cid)
  add('concept', job.concept_id)
  add('version', job.version_id)
  add('rented', job.rental && describeRental(job.rental))
  add('reason', job.error)
  add('learned from', job.captures && learnedInWords(job.captures))
  add('skipped', job.captures && skippedInWords(job.captures.skipped))
  add('no answer', job.unanswered && describeUnanswered(job.unanswered))
  add('wrong', describeWrong(job))
  add('production', describeProduction(job))
  add('accepted', describeAcceptance(job))
  add('deploy hook', describeHook(job))
  const commands = isReady ? commandsAfter(job, archive) : []
  return [
    formatFacts(facts),
    ...(rows.length > 0 ? ['', describeRows(rows), ...describeRest(job, rows.length)] : []),
    ...(job.status === 'gated' ? ['', ...describeHelp(job)] : []),
    ...commands.map((command) => `  ${paint('dim', '$')} ${command}`),
  ].join('\n')
}

function describeRental({ backend, machines, cost_usd: usd, budget_usd: budget }: RentalView): string {
  return `${backend}, ${machines} ${machines === 1 ? 'machine' : 'machines'}, ${usd.toFixed(2)} of ${budget.toFixed(2)} USD`
}

function describeRest({ id, evals_summary: summary }: JobView, shown: number): string[] {
  const rest = (summary?.failing ?? 0) - shown
  return rest > 0 ? [`${rest} more: svc rows ${id} --wrong`] : []
}

/** "3 of 8 held-out rows are wrong"; empty for a job without a wrong row. */
function describeWrong({ evals_summary: summary }: JobView): string {
  if (summary === undefined || summary.failing === 0) return ''
  const { failing, total } = summary
  return `${failing} of ${total} held-out ${total === 1 ? 'row' : 'rows'} ${failing === 1 ? 'is' : 'are'} wrong`
}

function describeAcceptance({ accepted }: JobView): string {
  if (accepted === undefined) return ''
  const { state, at, k_score: kScore, k_score_floor: floor } = accepted
  const outcome = state === 'signed' ? '' : ` (${state})`
  return `K ${kScore.toFixed(3)} below the floor ${floor}, ${formatTime(at)}${outcome}`
}

/** "failed (webhook_gone)"; empty without a hook. */
function describeHook({ deploy_status: status, deploy_error_code: code }: JobView): string {
  if (status === undefined) return ''
  return code === undefined ? status : `${status} (${code})`
}

function commandsAfter(job: JobView, archive: string | undefined): string[] {
  const run = job.version_id !== undefined ? [`svc run ${job.version_id} INPUT`] : []
  return archive === undefined
    ? [`svc download ${job.id}`, ...run]
    : [`svc verify ${archive}`, `svc run ${archive} INPUT`, ...run]
}
