import { AcceptanceUnderWay } from '../../../core/compile/wire/jobs/explain/acceptance.ts'
import { JobView } from '../../../core/compile/wire/jobs/job.ts'
import type { CliContext } from '../../context.ts'
import { describeJob } from '../../terminal/job-text.ts'
import { openStageProgress } from '../../terminal/stage-progress.ts'
import { requireWritable } from '../../terminal/overwrite.ts'
import { saveArchive } from '../files/download.ts'
import { exitCodeOf, watchJob } from '../watch.ts'

/** Options of `svc accept`. */
export interface AcceptFlags {
  readonly out?: string
  readonly force?: boolean
}

/** `svc accept`: has the best candidate of a gated job signed below its floor, and waits for it. Answers the exit code. */
export async function acceptJob(context: CliContext, jobId: string, { out, force }: AcceptFlags): Promise<number> {
  const client = await context.client()
  if (out !== undefined) await requireWritable(out, force)
  const path = `/v1/compile/${encodeURIComponent(jobId)}/accept`
  const answer = await client.call(path, JobView.or(AcceptanceUnderWay), { method: 'POST' })
  const job = 'id' in answer ? answer : await watchJob(client, jobId, openStageProgress(context.output))
  const archive = job.status === 'completed' ? out : undefined
  if (archive !== undefined) await saveArchive(client, jobId, archive)
  context.output.result(job, () => describeJob(job, { archive }))
  return exitCodeOf(job)
}
