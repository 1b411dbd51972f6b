import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAdapter } from '../../../core/model/files/adapter-files.ts'
import type { Truncation } from '../../../core/model/training/data/encode-rows.ts'
import { fitAdapter } from '../../../core/model/training/fit-adapter.ts'
import type { FitInput, FittedAdapter } from '../../../core/model/training/fit/fit-types.ts'
import { lossCurveSvg } from '../../../core/model/training/loss-curve.ts'
import { trainingRecord } from '../../../core/model/training/training-record.ts'
import { CliError, usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { describeSeconds, openFitProgress } from '../../terminal/fit-progress.ts'
import { formatFacts } from '../../terminal/table.ts'
import { readTrainInput } from './train-input.ts'
import type { TrainFlags } from './train-flags.ts'

/** Rows that a warning names. */
const NAMED_ROWS = 5
const CHECKPOINT = 'checkpoint.bin'

/** `svc train`: reads rows, fits an adapter, and writes it with its record and its loss curve. Throws `CliError`. */
export async function train({ output }: CliContext, flags: TrainFlags): Promise<void> {
  const { out } = flags
  const { fit, promptFormat, truncated } = await readTrainInput(flags)
  if (truncated.length > 0) output.warn(describeTruncation(truncated))
  await mkdir(out, { recursive: true }).catch((error: unknown) => {
    throw usageError(`cannot create the folder ${out}`, error)
  })
  const fitted = await fitUntilInterrupted({ output }, out, fit)
  const { base, threads } = fit
  const record = trainingRecord(fitted, { base, promptFormat, threads, truncated })
  const files = new Map<string, Uint8Array | string>([
    ...writeAdapter(fitted.adapter, { baseName: base.name }),
    ['training.json', `${JSON.stringify(record, undefined, 2)}\n`],
    ['loss.svg', lossCurveSvg(fitted.history)],
  ])
  await keepFiles(out, files)
  await rm(join(out, CHECKPOINT), { force: true })
  const { history: _, ...facts } = record
  output.result({ out, files: [...files.keys()], ...facts }, () => describeFit(fitted, out, record.adapterHash))
}

/** Fits with a view of the progress; Ctrl-C ends it with a checkpoint in the folder. */
async function fitUntilInterrupted(
  { output }: Pick<CliContext, 'output'>,
  out: string,
  fit: FitInput,
): Promise<FittedAdapter> {
  const file = join(out, CHECKPOINT)
  const view = openFitProgress(output)
  const interrupted = new AbortController()
  const interrupt = (): void => interrupted.abort()
  process.once('SIGINT', interrupt)
  try {
    return await fitAdapter(fit, {
      onStep: (progress) => view.show(progress),
      onCheckpoint: (bytes) => keepCheckpoint(file, bytes),
      signal: interrupted.signal,
    })
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    const goOn = existsSync(file) ? `; continue with the same options and --resume ${file}` : ' before the first step'
    throw new CliError(`interrupted${goOn}`, {
      exitCode: EXIT.interrupted,
      code: 'interrupted',
      cause: error,
    })
  } finally {
    view.end()
    process.off('SIGINT', interrupt)
  }
}

/** Replaces the checkpoint in one move, so that a crash or a full disk leaves the last one whole. */
function keepCheckpoint(file: string, bytes: Uint8Array): void {
  try {
    writeFileSync(`${file}.part`, bytes)
    renameSync(`${file}.part`, file)
  } catch (error) {
    rmSync(`${file}.part`, { force: true })
    throw unwritable(file, error)
  }
}

/** Writes the files and only then gives them their names, so that a full disk leaves no adapter that is cut off. */
async function keepFiles(out: string, files: ReadonlyMap<string, Uint8Array | string>): Promise<void> {
  const parts = new Map(Array.from(files.keys(), (name) => [join(out, `${name}.part`), join(out, name)]))
  try {
    for (const [name, content] of files) await writeFile(join(out, `${name}.part`), content)
    for (const [part, file] of parts) await rename(part, file)
  } catch (error) {
    for (const part of parts.keys()) await rm(part, { force: true }).catch(() => undefined)
    throw unwritable(out, error)
  }
}

function unwritable(path: string, cause: unknown): CliError {
  return new CliError(`cannot write ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
}

function describeTruncation(truncated: readonly Truncation[]): string {
  const named = truncated.slice(0, NAMED_ROWS).map(({ id, droppedTokens }) => `${id} (${droppedTokens} tokens)`)
  const more = truncated.length > named.length ? ' and others' : ''
  const rows = truncated.length === 1 ? '1 prompt was' : `${truncated.length} prompts were`
  return `${rows} too long and cut from the left: ${named.join(', ')}${more}`
}

function describeFit(fitted: FittedAdapter, out: string, hash: string): string {
  const { history, bestStep, steps, stoppedEarly, tokensPerSecond, usefulTokens, rows, variant, onPolicyShare } = fitted
  const best = history.validations.find(({ step }) => step === bestStep)
  const loss = history.steps.at(-1)?.loss
  const seconds = describeSeconds(usefulTokens / Math.max(1, tokensPerSecond))
  return formatFacts([
    ['adapter', `${out} (${hash})`],
    ['rows', `${rows.train} trained on, ${rows.validation} for early stopping`],
    ['steps', `${steps}${stoppedEarly ? ', stopped early' : ''}; the weights are those of step ${bestStep}`],
    ...(loss === undefined ? [] : [['loss', loss.toFixed(4)] as const]),
    ...(best === undefined ? [] : [['validation', best.loss.toFixed(4)] as const]),
    ...(onPolicyShare === null ? [] : [['on-policy', `${Math.round(100 * onPolicyShare)} % of the rows`] as const]),
    [
      'speed',
      `${Math.round(tokensPerSecond)} tokens/s over ${seconds}${variant === 'layers' ? ', layer by layer' : ''}`,
    ],
  ])
}
