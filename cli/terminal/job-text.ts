import type { JobDocument } from '../client/documents.ts'
import { paint } from './output.ts'
import { formatFacts } from './table.ts'

/** A finished job for people: its outcome, its facts, and what to do with it. */
export function describeJob(job: JobDocument): string {
  const facts: [string, string][] = [['job', job.id]]
  const add = (name: string, value: string | null | undefined) => {
    if (value !== null && value !== undefined) facts.push([name, value])
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
  add('size', typeof job.size_mb === 'number' ? `${job.size_mb} MB` : null)
  add('CID', job.cid)
  add('concept', job.concept_id)
  add('version', job.version_id)
  add('reason', job.error)
  add('failing', job.failing_rows?.join(', '))
  const next = isReady
    ? [`svc download ${job.id}`, ...(typeof job.version_id === 'string' ? [`svc run ${job.version_id} INPUT`] : [])]
    : []
  return [formatFacts(facts), ...next.map((command) => `  ${paint('dim', '$')} ${command}`)].join('\n')
}
