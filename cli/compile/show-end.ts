import type { ApiClient } from '../client/api-client.ts'
import type { CliContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { describeJob } from '../terminal/job-text.ts'
import { openStageProgress, pausingProgress } from '../terminal/stage-progress.ts'
import { askInTerminal } from './start/ask.ts'
import { saveArchive } from './files/download.ts'
import { wrongRowsOf } from './explain/rows.ts'
import { exitCodeOf, watchJob } from './watch.ts'

/** Watches a compile to its end, shows it, and answers the exit code that its end deserves. */
export async function showEnd(
  context: CliContext,
  client: ApiClient,
  jobId: string,
  flags: { readonly ask?: number; readonly out?: string },
): Promise<number> {
  const progress = flags.ask === undefined ? openStageProgress(context.output) : pausingProgress(context.output)
  const job = await watchJob(client, jobId, progress, async (number) => {
    progress.end()
    await askInTerminal(client, { jobId, number })
  })
  const exitCode = exitCodeOf(job)
  const archive = exitCode === EXIT.ok ? flags.out : undefined
  if (archive !== undefined) await saveArchive(client, job.id, archive)
  const rows = await wrongRowsOf(context, client, job)
  context.output.result(job, () => describeJob(job, { archive, rows }))
  return exitCode
}
