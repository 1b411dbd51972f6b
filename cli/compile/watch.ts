import { JobView } from '../../core/compile/wire/jobs/job.ts'
import type { ApiClient } from '../client/api-client.ts'
import { followJob } from '../client/job-events.ts'
import { CliError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { wrongRowsOf } from './explain/rows.ts'
import { openStageProgress, writeEventLines, type StageProgress } from '../terminal/stage-progress.ts'
import { describeJob } from '../terminal/job-text.ts'

/**
 * `svc watch`: shows a job's stages until it is done; answers the exit code that its end deserves. With `--json`, every
 * event is a line of standard output, and the job itself is the last one.
 */
export async function watch(context: CliContext, jobId: string): Promise<number> {
  const client = await context.client()
  const { output } = context
  const job = await watchJob(client, jobId, output.isJson ? writeEventLines(output) : openStageProgress(output))
  const rows = await wrongRowsOf(context, client, job)
  output.result({ event: 'job', job }, () => describeJob(job, { rows }))
  return exitCodeOf(job)
}

/**
 * Shows the stages of a job until it is done, and answers its document; `onQuestion` is called with the number of each
 * question that the job asks. Ctrl-C leaves the job alone.
 */
export async function watchJob(
  client: ApiClient,
  jobId: string,
  progress: StageProgress,
  onQuestion: (number: number) => Promise<void> = async () => {},
): Promise<JobView> {
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt)
  try {
    for await (const event of followJob(client, jobId, interrupted.signal)) {
      progress.show(event)
      const { code, question } = event.body
      if (code === 'question_asked' && question !== undefined) await onQuestion(question)
    }
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    throw new CliError(`no longer watching; the job continues: svc watch ${jobId}`, {
      exitCode: EXIT.interrupted,
      code: 'interrupted',
    })
  } finally {
    progress.end()
    process.off('SIGINT', interrupt)
  }
  return await client.call(`/v1/compile/${encodeURIComponent(jobId)}`, JobView)
}

/** The exit code that a finished job deserves. */
export function exitCodeOf(job: JobView): number {
  if (job.status === 'completed') return EXIT.ok
  return job.status === 'gated' ? EXIT.gated : EXIT.failed
}
