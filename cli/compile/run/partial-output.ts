import { randomUUID } from 'node:crypto'
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { BatchFormat } from '../../../core/ledger/receipts/batch-receipt.ts'
import { usageError } from '../../cli-error.ts'
import { canonicalJson, isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import { confirmOverwrite, requireConsent } from '../../terminal/overwrite.ts'
import { cutAfterRow } from './row-scanner.ts'

/** Terms of a run of a file: a run is continued only with the same ones. */
export interface RunPlan {
  readonly url: string
  readonly target: string
  /** Digest of the input file. */
  readonly input: string
  readonly format: BatchFormat
  readonly options: string
}

/** An interrupted run, as the file beside its output holds it. */
interface RunState {
  /** The Idempotency-Key of the batch. */
  readonly key: string
  readonly plan: Json
}

/** An output file that is not complete yet. */
export interface PartialOutput {
  /** The rows so far. */
  readonly path: string
  /** The Idempotency-Key of the batch. */
  readonly key: string
  readonly isContinued: boolean
  /** Cuts the file after its last complete row, or after row `most`. Returns how many rows it holds then. */
  cut(most?: number): Promise<number>
  /** Gives the file its name. */
  finish(): Promise<void>
  /** Removes the file, of a run that never began. */
  discard(): Promise<void>
}

/** Options that decide about files that are there already. */
export interface OutputFlags {
  readonly force?: boolean
  readonly resume?: boolean
}

/**
 * Opens the output of a run: a new one, or the part of an interrupted run of the same plan. Asks before it replaces a
 * file, on a terminal; elsewhere it throws `CliError` unless `force` is given.
 */
export async function openPartial(out: string, plan: RunPlan, flags: OutputFlags): Promise<PartialOutput> {
  const paths = { part: `${out}.part`, state: `${out}.part.json` }
  const left = await readState(paths.state)
  const isSame = left !== null && canonicalJson(left.plan) === canonicalJson({ ...plan }) && (await exists(paths.part))
  if (isSame && flags.force !== true) return toPartial(out, paths, left.key, plan.format, true)
  if (flags.resume === true) {
    throw usageError(`--resume: there is no interrupted run of this file, target and options beside ${out}`)
  }
  if (left !== null) await requireConsent(`${paths.part} remains from another run`, 'Start over?', flags.force)
  else await confirmOverwrite(out, flags.force)
  const key = randomUUID()
  await writeFile(paths.part, '')
  await writeFile(paths.state, `${JSON.stringify({ key, plan })}\n`)
  return toPartial(out, paths, key, plan.format, false)
}

function toPartial(
  out: string,
  { part, state }: { readonly part: string; readonly state: string },
  key: string,
  format: BatchFormat,
  isContinued: boolean,
): PartialOutput {
  return {
    path: part,
    key,
    isContinued,
    cut: async (most) => await cutAfterRow(part, format, most),
    async finish() {
      await rename(part, out)
      await rm(state, { force: true })
    },
    async discard() {
      await rm(part, { force: true })
      await rm(state, { force: true })
    },
  }
}

async function readState(path: string): Promise<RunState | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const state: Json = JSON.parse(text)
    if (!isJsonObject(state)) return null
    const { key, plan } = state
    return typeof key === 'string' && plan !== undefined ? { key, plan } : null
  } catch {
    return null
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}
