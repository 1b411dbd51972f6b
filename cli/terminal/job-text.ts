import type { JobDocument } from '../client/documents.ts'
import { paint } from './output.ts'
import { formatBytes, formatFacts } from './table.ts'

/** Failing rows that are named; `--json` lists all that the server does. */
const NAMED_ROWS = 20

/** A finished job for people: its outcome, its facts, and what to do next. `archive` is the file it was saved as. */
export function describeJob(job: JobDocument, archive?: string): string {
  const facts: [string, string][] = [['job', job.id]]
  const add = (name: string, value: string | null | undefined) => {
    if (value !== null && value !== undefined && value !== '') facts.push([name, value])
  }
  const isReady = job.status === 'completed' || job.status === 'ready'
  add('status', paint(isReady ? 'green' : job.status === 'gated' ? 'yellow' : 'red', job.status))
  add('recipe', job.recipe_kind)
  const score = job.k_score_envelope
  add('K-score', job.k_score?.toFixed(3))
  if (score !== null && score !== undefined) {
    const interval = `${score.interval.low.toFixed(3)} to ${score.interval.high.toFixed(3)}`
    add('accuracy', `${score.accuracy.toFixed(3)} on ${score.n} held-out rows (95 %: ${interval})`)
  }
  add('size', typeof job.size_mb === 'number' ? formatBytes(Math.round(job.size_mb * 1_000_000)) : null)
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

function nameFailingRows(job: JobDocument): string {
  const ids = job.failing_rows ?? []
  const count = Math.max(ids.length, job.evals_summary?.failing ?? 0)
  const rest = count - Math.min(ids.length, NAMED_ROWS)
  return [...ids.slice(0, NAMED_ROWS), ...(ids.length > 0 && rest > 0 ? [`and ${rest} more`] : [])].join(', ')
}

function adviceAfterGate(job: JobDocument): string[] {
  const hasUnnamed = job.failing_rows?.some((id) => /^row_\d+$/.test(id)) === true
  return [
    'Nothing was signed: no recipe answers the held-out rows as the floor asks. What helps:',
    '  - look at the failing rows: correct or remove those that are wrong or break the rule',
    '  - add more examples like those that fail: what stands in one row alone cannot be learned',
    `  - or accept a lower score: svc compile --floor, below ${job.k_score_floor ?? 'the floor of this job'}`,
    ...(hasUnnamed ? ['A row without an id is named after its place: row_1 is the first one that was sent.'] : []),
  ]
}

function commandsAfter(job: JobDocument, archive: string | undefined): string[] {
  const run = typeof job.version_id === 'string' ? [`svc run ${job.version_id} INPUT`] : []
  return archive === undefined
    ? [`svc download ${job.id}`, ...run]
    : [`svc verify ${archive}`, `svc run ${archive} INPUT`, ...run]
}
