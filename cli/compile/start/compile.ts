import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Tolerance } from '../../../core/compile/rows/equality/tolerance.ts'
import type { OnDoubt } from '../../../core/compile/runtime/certificate/risk.ts'
import { Accepted } from '../../../core/compile/wire/jobs/accepted.ts'
import type { CompileInput } from '../../../core/compile/wire/jobs/spec.ts'
import { clientOrWorkspace } from '../../accounts/workspace.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import type { ExampleFormat } from '../files/example-formats.ts'
import { readExamples } from '../files/examples.ts'
import { usageError } from '../../cli-error.ts'
import { requireWritable } from '../../terminal/overwrite.ts'
import { requireTerminal } from './ask.ts'
import { fitSpec, type FitFlags } from '../train/fit-options.ts'
import { compileAgain } from '../explain/again.ts'
import { mappingOf, namingFlags, type MappingFlags } from '../files/mapping-options.ts'
import { previewExamples } from '../files/preview.ts'
import { showEnd } from '../show-end.ts'

const DEFAULT_CONFIDENCE = 0.9

/** Options of `svc compile`. */
export interface CompileFlags extends FitFlags, MappingFlags {
  readonly task?: string
  readonly format?: ExampleFormat
  readonly floor?: number
  readonly maxError?: number
  /** Largest distance of a number in an answer from the expected one. */
  readonly tolerance?: readonly Tolerance[]
  readonly confidence?: number
  readonly onDoubt?: OnDoubt
  readonly concept?: string
  readonly async?: boolean
  /** Questions that the compile may ask in the terminal. */
  readonly ask?: number
  /** File for the archive. */
  readonly out?: string
  readonly force?: boolean
  readonly preview?: boolean
  /** The earlier job whose examples and choices are kept. */
  readonly from?: string
  /** Ids of earlier examples to leave out. */
  readonly remove?: readonly string[]
  /** The namespace whose approved captures are the examples. */
  readonly fromCaptures?: string
  /** The dataset whose rows are the examples: its held-out rows score. */
  readonly dataset?: string
  readonly datasetVersion?: number
  /** The address that is notified of the artifact. */
  readonly deployHook?: string
}

/** `svc compile`: sends examples, watches the job and answers the exit code that its end deserves. */
export async function compile(context: CliContext, file: string, flags: CompileFlags): Promise<number> {
  if (flags.ask !== undefined) requireTerminal(context, flags)
  if (flags.from !== undefined) return await compileAgain(context, flags.from, file, flags)
  if (flags.remove !== undefined) throw usageError('--remove needs --from JOB')
  if (flags.out !== undefined) await requireWritable(flags.out, flags.force)
  const source = sourceOf(flags)
  if (source !== null) return await compileSource(context, source, file, flags)
  const mapping = mappingOf(flags)
  const examples = await readExamples(file, flags.format, mapping !== undefined)
  try {
    if (flags.preview === true) return await namingFlags(async () => await previewExamples(context, examples, mapping))
    const spec = { ...examples.spec, ...choicesOf(flags) }
    if (!('task' in spec)) throw noTask()
    const client = await clientOrWorkspace(context)
    // The same key for every attempt: a connection that is lost on the way never makes two jobs.
    const idempotencyKey = randomUUID()
    const accepted = await namingFlags(
      async () =>
        await client.call('/v1/compile', Accepted, {
          method: 'POST',
          idempotencyKey,
          ...(examples.kind === 'inline'
            ? { json: { ...spec, examples: examples.rows } }
            : { body: async () => await examples.makeForm(mapping === undefined ? spec : { ...spec, mapping }) }),
        }),
    )
    return await follow(context, client, accepted, flags)
  } finally {
    await examples.dispose()
  }
}

/** Examples that the server has: the option that names them, and the members of the body. */
interface Source {
  readonly option: string
  readonly body: object
}

function sourceOf({ fromCaptures, dataset, datasetVersion }: CompileFlags): Source | null {
  if (datasetVersion !== undefined && dataset === undefined) throw usageError('--dataset-version needs --dataset')
  if (dataset !== undefined && fromCaptures !== undefined)
    throw usageError('name --dataset or --from-captures, not both')
  if (fromCaptures !== undefined) {
    return { option: '--from-captures', body: { from_captures: { namespace: fromCaptures } } }
  }
  if (dataset === undefined) return null
  const version = datasetVersion === undefined ? {} : { dataset_version: datasetVersion }
  return { option: '--dataset', body: { dataset_id: dataset, ...version } }
}

/** Compiles examples that the server has: the approved captures of a namespace, or the rows of a dataset. */
async function compileSource(
  context: CliContext,
  { option, body }: Source,
  file: string,
  flags: CompileFlags,
): Promise<number> {
  if (file !== '-') throw usageError(`name a file or ${option}, not both`)
  const ofFiles = [flags.format, flags.preview, flags.ask, mappingOf(flags)]
  if (ofFiles.some((one) => one !== undefined)) {
    throw usageError(`${option} takes none of --format, --preview, --ask and the options of columns`)
  }
  if (flags.task === undefined) throw noTask()
  const client = await context.client()
  const accepted = await client.call('/v1/compile', Accepted, {
    method: 'POST',
    idempotencyKey: randomUUID(),
    json: { ...choicesOf(flags), ...body },
  })
  return await follow(context, client, accepted, flags)
}

/** The choices that flags make; the examples may bring others. */
function choicesOf(flags: CompileFlags): Partial<CompileInput> {
  return {
    ...(flags.task !== undefined && { task: flags.task }),
    ...(flags.floor !== undefined && { k_score_floor: flags.floor }),
    ...(flags.tolerance !== undefined && { tolerances: [...flags.tolerance] }),
    ...(flags.maxError !== undefined && {
      risk: { max_error: flags.maxError, confidence: flags.confidence ?? DEFAULT_CONFIDENCE },
    }),
    ...(flags.onDoubt !== undefined && { on_doubt: flags.onDoubt }),
    ...(flags.concept !== undefined && { concept_id: flags.concept }),
    ...fitSpec(flags),
    ...(flags.ask !== undefined && { questions: { max: flags.ask } }),
    ...(flags.deployHook !== undefined && { deploy_hook: flags.deployHook }),
    mode: 'async',
  }
}

async function follow(
  context: CliContext,
  client: ApiClient,
  accepted: z.output<typeof Accepted>,
  flags: CompileFlags,
): Promise<number> {
  const { deploy_hook_secret: secret } = accepted
  if (secret !== undefined) context.output.note(`secret of the deploy hook, shown once: ${secret}`)
  if (flags.async === true) {
    context.output.result(accepted, () => `${accepted.job_id} ${accepted.status}\nsvc watch ${accepted.job_id}`)
    return EXIT.ok
  }
  context.output.note(`job ${accepted.job_id}`)
  return await showEnd(context, client, accepted.job_id, flags)
}

function noTask() {
  return usageError('describe the task: --task "…"')
}
