import type { JobView } from '../../core/compile/wire/jobs/job.ts'
import { measurementOf } from '../../core/compile/wire/jobs/k-interval.ts'
import { paint } from './output.ts'
import { formatBytes, formatFacts } from './table.ts'

/** Failing rows that are named; `--json` lists all that the server does. */
const NAMED_ROWS = 20

/** Describes a finished job: its outcome, its facts, and the next step. `archive` is the file it was saved as. */
export function describeJob(job: JobView, archive?: string): string {
  const facts: [string, string][] = [['job', job.id]]
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== '') facts.push([name, value])
  }
  const isReady = job.status === 'completed'
  add('status', paint(isReady ? 'green' : job.status === 'gated' ? 'yellow' : 'red', job.status))
  add('recipe', job.recipe_kind)
  const score = measurementOf(job.k_score_envelope)
  add('K-score', job.k_score?.toFixed(3))
  if (score !== undefined) {
    const interval = `${score.interval.low.toFixed(3)} to ${score.interval.high.toFixed(3)}`
    add('accuracy', `${score.accuracy.toFixed(3)} on ${score.n} held-out rows (95 %: ${interval})`)
  }
  add('size', job.size_mb === undefined ? undefined : formatBytes(Math.round(job.size_mb * 1_000_000)))
  add('archive', archive)
  add('CID', job.cid)
  add('concept', job.concept_id)
  add('version', job.version_id)
  add('reason', job.error)
  add('failing', nameFailingRows(job))
  const commands = isReady ? commandsAfter(job, archive) : []
  return [
    formatFacts(facts),
    ...(job.status === 'gated' ? ['', ...adviceAfterGate(job)] : []),
    ...commands.map((command) => `  ${paint('dim', '$')} ${command}`),
  ].join('\n')
}

function nameFailingRows(job: JobView): string {
  const ids = job.failing_rows ?? []
  const count = Math.max(ids.length, job.evals_summary?.failing ?? 0)
  const rest = count - Math.min(ids.length, NAMED_ROWS)
  return [...ids.slice(0, NAMED_ROWS), ...(ids.length > 0 && rest > 0 ? [`and ${rest} more`] : [])].join(', ')
}

function adviceAfterGate(job: JobView): string[] {
  const hasUnnamed = job.failing_rows?.some((id) => /^row_\d+$/.test(id)) === true
  return [
    'No artifact was signed: no recipe reaches the floor on the held-out rows. Next steps:',
    '  - check the failing rows: correct or remove wrong rows',
    '  - add more examples like the failing ones: a pattern seen in only one row cannot be learned',
    `  - or accept a lower score: svc compile --floor, below ${job.k_score_floor}`,
    ...(hasUnnamed ? ['A row without an id is named by its position: row_1 is the first row sent.'] : []),
  ]
}

function commandsAfter(job: JobView, archive: string | undefined): string[] {
  const run = job.version_id !== undefined ? [`svc run ${job.version_id} INPUT`] : []
  return archive === undefined
    ? [`svc download ${job.id}`, ...run]
    : [`svc verify ${archive}`, `svc run ${archive} INPUT`, ...run]
}
