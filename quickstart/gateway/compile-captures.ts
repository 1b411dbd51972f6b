import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { ApiClient } from '../../cli/client/api-client.ts'
import { CliError } from '../../cli/cli-error.ts'
import { exitCodeOf, watchJob } from '../../cli/compile/watch.ts'
import { EXIT } from '../../cli/exit-codes.ts'
import type { Output } from '../../cli/terminal/output.ts'
import { openStageProgress } from '../../cli/terminal/stage-progress.ts'
import { Accepted } from '../../core/compile/wire/jobs/accepted.ts'
import type { FromCaptures } from '../../core/compile/wire/jobs/captures.ts'
import type { JobView } from '../../core/compile/wire/jobs/job.ts'
import type { CompileInput } from '../../core/compile/wire/jobs/spec.ts'

type FromCapturesBody = CompileInput & { readonly from_captures: z.input<typeof FromCaptures> }

/** Compiles the approved captures of a namespace and shows the stages. Throws `CliError` unless an artifact is signed. */
export async function compileCaptures(
  client: ApiClient,
  { namespace, task, output }: { readonly namespace: string; readonly task: string; readonly output: Output },
): Promise<JobView> {
  const { job_id: jobId } = await client.call('/v1/compile', Accepted, {
    method: 'POST',
    idempotencyKey: randomUUID(),
    json: { task, from_captures: { namespace }, mode: 'async' } satisfies FromCapturesBody,
  })
  const job = await watchJob(client, jobId, openStageProgress(output))
  if (exitCodeOf(job) === EXIT.ok) return job
  throw new CliError(`the compile ended ${job.status}: ${job.error ?? ''}`, { code: job.error_code ?? job.status })
}
