import { randomUUID } from 'node:crypto'
import { Accepted } from '../../core/compile/wire/jobs/accepted.ts'
import type { CompileInput } from '../../core/compile/wire/jobs/spec.ts'
import type { CliContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import type { ExampleFormat } from './example-formats.ts'
import { readExamples } from './examples.ts'
import { openStageProgress, pausingProgress } from '../terminal/stage-progress.ts'
import { describeJob } from '../terminal/job-text.ts'
import { usageError } from '../cli-error.ts'
import { requireWritable, saveArchive } from './download.ts'
import { askInTerminal, requireTerminal } from './ask.ts'
import { fitSpec, type FitFlags } from './train/fit-options.ts'
import { exitCodeOf, watchJob } from './watch.ts'

/** Options of `svc compile`. */
export interface CompileFlags extends FitFlags {
  readonly task?: string
  readonly format?: ExampleFormat
  readonly floor?: number
  readonly concept?: string
  readonly async?: boolean
  readonly output?: string
  /** Questions that the compile may ask in the terminal. */
  readonly ask?: number
}

/** `svc compile`: sends examples, watches the job and answers the exit code that its end deserves. */
export async function compile(context: CliContext, file: string, flags: CompileFlags): Promise<number> {
  if (flags.ask !== undefined) requireTerminal(context, flags)
  const client = await context.client()
  if (flags.output !== undefined) await requireWritable(flags.output)
  const examples = await readExamples(file, flags.format)
  try {
    const chosen: Partial<CompileInput> = {
      ...(flags.task !== undefined && { task: flags.task }),
      ...(flags.floor !== undefined && { k_score_floor: flags.floor }),
      ...(flags.concept !== undefined && { concept_id: flags.concept }),
      ...fitSpec(flags),
      ...(flags.ask !== undefined && { questions: { max: flags.ask } }),
      mode: 'async',
    }
    const spec = { ...examples.spec, ...chosen }
    if (!('task' in spec)) throw usageError('describe the task: --task "…"')
    // The same key for every attempt: a connection that is lost on the way never makes two jobs.
    const idempotencyKey = randomUUID()
    const accepted = await client.call('/v1/compile', Accepted, {
      method: 'POST',
      idempotencyKey,
      ...(examples.kind === 'inline'
        ? { json: { ...spec, examples: examples.rows } }
        : { body: async () => await examples.makeForm(spec) }),
    })
    if (flags.async === true) {
      context.output.result(accepted, () => `${accepted.job_id} ${accepted.status}\nsvc watch ${accepted.job_id}`)
      return EXIT.ok
    }
    context.output.note(`job ${accepted.job_id}`)
    const progress = flags.ask === undefined ? openStageProgress(context.output) : pausingProgress(context.output)
    const job = await watchJob(client, accepted.job_id, progress, async (number) => {
      progress.end()
      await askInTerminal(client, { jobId: accepted.job_id, number })
    })
    const exitCode = exitCodeOf(job)
    const archive = exitCode === EXIT.ok ? flags.output : undefined
    if (archive !== undefined) await saveArchive(client, job.id, archive)
    context.output.result(job, () => describeJob(job, archive))
    return exitCode
  } finally {
    await examples.dispose()
  }
}
