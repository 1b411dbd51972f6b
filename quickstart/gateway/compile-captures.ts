import { randomUUID } from 'node:crypto'
import type { ApiClient } from '../../cli/client/api-client.ts'
import { CliError } from '../../cli/cli-error.ts'
import { exitCodeOf, watchJob } from '../../cli/compile/watch.ts'
import { EXIT } from '../../cli/exit-codes.ts'
import type { Output } from '../../cli/terminal/output.ts'
import { openStageProgress } from '../../cli/terminal/stage-progress.ts'
import { Accepted } from '../../core/compile/wire/jobs/accepted.ts'
import type { JobView } from '../../core/compile/wire/jobs/job.ts'
import type { CompileInput } from '../../core/compile/wire/jobs/spec.ts'

/** Compiles the approved captures of a namespace and shows the stages. Throws `CliError` unless an artifact is signed. */
export async function compileCaptures(
  client: ApiClient,
  { namespace, task, output }: { readonly namespace: string; readonly task: string; readonly output: Output },
): Promise<JobView> {
  const query = new URLSearchParams({ namespace, status: 'approved', format: 'pairs' })
  const pairs = await client.open(`/v1/capture/export?${query.toString()}`)
  const file = await pairs.blob()
  const { job_id: jobId } = await client.call('/v1/compile', Accepted, {
    method: 'POST',
    idempotencyKey: randomUUID(),
    body: async () => {
      const form = new FormData()
      form.set('spec', JSON.stringify({ task, mode: 'async' } satisfies CompileInput))
      form.set('file', file, 'captures.jsonl')
      return form
    },
  })
  const job = await watchJob(client, jobId, openStageProgress(output))
  if (exitCodeOf(job) === EXIT.ok) return job
  throw new CliError(`the compile ended ${job.status}: ${job.error ?? ''}`, { code: job.error_code ?? job.status })
}
