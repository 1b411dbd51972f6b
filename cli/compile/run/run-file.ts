import { createHash } from 'node:crypto'
import { createReadStream, openAsBlob } from 'node:fs'
import { open, rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import {
  BatchAhead,
  BATCH_ID_HEADER,
  BATCH_LEFT_OUT_HEADER,
  BATCH_ROWS_HEADER,
  BatchView,
} from '../../../core/compile/wire/batches.ts'
import type { RECEIPT_KINDS } from '../../../core/compile/wire/artifacts/receipt-kinds.ts'
import type { BatchFormat } from '../../../core/ledger/receipts/batch-receipt.ts'
import { resetsAt } from '../../../core/kernel/tenant/quota-month.ts'
import type { ApiClient } from '../../client/api-client.ts'
import { CliError, toCliError, usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { mappingOf, namingFlags, type MappingFlags } from '../files/mapping-options.ts'
import { openPartial, type OutputFlags, type PartialOutput } from './partial-output.ts'
import { openRowProgress, type RowProgress } from './row-progress.ts'
import { RowScanner } from './row-scanner.ts'
import { QUOTA_HINT } from '../../terminal/output.ts'
import { formatTime } from '../../terminal/table.ts'
import { findSubject, isOnline } from './subject.ts'

/** Options of `svc run --csv`. */
export interface FileFlags extends MappingFlags, OutputFlags {
  /** The file whose rows are run. */
  readonly csv: string
  readonly out?: string
  readonly receipts?: (typeof RECEIPT_KINDS)[number]
}

/** A run of a file that is under way. */
interface FileRun {
  readonly client: ApiClient
  readonly spec: object
  readonly file: string
  readonly format: BatchFormat
  readonly output: PartialOutput
  readonly progress: RowProgress
}

/** Attempts without a new row after which a run ends, and the pause between them. */
const MOST_ATTEMPTS = 20
const PAUSE_MS = 1000

/**
 * Runs the rows of a file on the server and writes the answers to a file. A lost connection and a restarted server are
 * waited for; a run that was interrupted is continued by the same command, without a second charge. Returns 1 when the
 * server stopped it, as at the end of a quota, and when a row ended with an error.
 */
export async function runFile(context: CliContext, target: string, flags: FileFlags): Promise<number> {
  if (!isOnline(target)) throw usageError('--csv runs on a server: name a concept, a version, a job or a CID')
  if (flags.out === undefined) throw usageError('--csv needs --out FILE.csv or --out FILE.jsonl')
  const format = formatOf(flags.out)
  const mapping = mappingOf(flags)
  const receipts = flags.receipts ?? 'batch'
  const input = await digestOf(flags.csv)
  const client = await context.client()
  const options = JSON.stringify({ mapping, receipts })
  const output = await openPartial(flags.out, { url: client.url, target, input, format, options }, flags)
  const progress = openRowProgress(context.output)
  try {
    const subject = await findSubject(client, target)
    const spec = { ...subject, format, receipts, ...(mapping !== undefined && { mapping }) }
    const run = { client, spec, file: flags.csv, format, output, progress }
    const batch = await namingFlags(async () => await untilEnd(run))
    progress.end()
    return await conclude(context, batch, flags.out, output)
  } catch (error) {
    // A refused file has nothing to continue.
    if (!output.isContinued && !isTransient(toCliError(error)) && (await output.cut()) === 0) await output.discard()
    throw error
  } finally {
    progress.end()
  }
}

/** Sends the file again and again until the batch has ended; each time it continues where the output ends. */
async function untilEnd(run: FileRun): Promise<z.input<typeof BatchView>> {
  let rows = await run.output.cut()
  if (run.output.isContinued) run.progress.note(`continuing at row ${rows + 1}`)
  for (let attempt = 1; ;) {
    try {
      const batch = await streamOnce(run, rows)
      if (batch.state !== 'running') return batch
    } catch (error) {
      const failure = toCliError(error)
      if (failure.code === 'not_found' && rows > 0) throw withoutBatch(failure, run.output, rows)
      if (failure.code === 'batch_row_ahead') {
        await run.output.cut(settledRows(failure))
      } else if (!isTransient(failure) || attempt >= MOST_ATTEMPTS) throw error
    }
    const now = await run.output.cut()
    attempt = now > rows ? 1 : attempt + 1
    rows = now
    run.progress.note(`the connection was lost; continuing at row ${rows + 1}`)
    await sleep(PAUSE_MS)
  }
}

async function streamOnce(run: FileRun, rows: number): Promise<z.input<typeof BatchView>> {
  const { client, output, progress, format } = run
  const response = await client.open('/v1/run/batch', {
    method: 'POST',
    idempotencyKey: output.key,
    body: async () => await formOf(run, rows + 1),
  })
  const id = response.headers.get(BATCH_ID_HEADER) ?? ''
  const leftOut = Number(response.headers.get(BATCH_LEFT_OUT_HEADER) ?? 0)
  if (leftOut > 0 && rows === 0) {
    progress.note(`rows left out: ${leftOut} (titles above the table, or its header again)`)
  }
  progress.start(Number(response.headers.get(BATCH_ROWS_HEADER) ?? 0), rows)
  const scanner = new RowScanner(format)
  const part = await open(output.path, 'a')
  try {
    for await (const bytes of response.body ?? []) {
      await part.write(bytes)
      scanner.push(bytes)
      // The header of CSV comes with the first row only.
      progress.update(rows + scanner.rows + (format === 'csv' && rows > 0 ? 1 : 0))
    }
  } finally {
    await part.close()
  }
  const batch = await client.call(`/v1/run/batch/${id}`, BatchView)
  // What follows the last settled row is no row: why the batch stopped, or its figures.
  await output.cut(batch.settled_rows)
  return batch
}

async function formOf({ spec, file }: FileRun, fromRow: number): Promise<FormData> {
  const form = new FormData()
  form.append('spec', JSON.stringify({ ...spec, from_row: fromRow }))
  form.append('file', await openAsBlob(file), basename(file))
  return form
}

async function conclude(
  { output: terminal }: CliContext,
  batch: z.input<typeof BatchView>,
  out: string,
  output: PartialOutput,
): Promise<number> {
  const { state, stop_code: code, settled_rows: settled, rows } = batch
  if (state === 'done') {
    // First, so that the receipt beside the answers is theirs as soon as they have their name.
    const receipt = `${out}.receipt.json`
    if (batch.receipt === null) await rm(receipt, { force: true })
    else await writeFile(receipt, `${JSON.stringify(batch.receipt, null, 2)}\n`)
    await output.finish()
  }
  terminal.result(batch, () => describe(batch, out))
  if (state === 'done' && batch.errors > 0) {
    terminal.warn(`${batch.errors} of ${rows} rows ended with an error, which stands in ${out} in place of the answer`)
    return EXIT.failed
  }
  if (state === 'done') return EXIT.ok
  terminal.warn(
    `stopped after row ${settled} of ${rows} (${code ?? 'stopped'}); repeat the command to continue. These rows are not charged again while the server keeps the batch`,
  )
  if (code === 'quota_exhausted') {
    terminal.note(`The quota resets on ${formatTime(resetsAt(new Date()).toISOString())}. ${QUOTA_HINT}`)
  }
  return EXIT.failed
}

function describe(batch: z.input<typeof BatchView>, out: string): string {
  const { answered, abstained, unlike_examples: unlike, errors, units } = batch
  const parts = [
    `${answered} answered`,
    `${abstained} abstained`,
    `${unlike} unlike the examples`,
    `${errors} ${errors === 1 ? 'error' : 'errors'}`,
    `${units} ${units === 1 ? 'unit' : 'units'} charged`,
  ]
  return `${batch.state === 'done' ? out : `${out}.part`}: ${parts.join(', ')}`
}

function formatOf(out: string): BatchFormat {
  if (/\.(jsonl|ndjson)$/i.test(out)) return 'jsonl'
  if (/\.csv$/i.test(out)) return 'csv'
  throw usageError(`--out: ${out} must end in .csv or .jsonl`)
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk)
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw usageError(`${file}: ${isAbsent ? 'there is no such file' : 'cannot be read'}`, error)
  }
  return hash.digest('hex')
}

/** Without its batch, a run cannot continue: the server would charge all rows again. The answers stay where they are. */
function withoutBatch({ message, code, details, exitCode, cause }: CliError, { path }: PartialOutput, rows: number) {
  const hint = `the ${rows} rows in ${path} stay there; --force removes them and runs every row again, with a new charge`
  return new CliError(`${message}\n  ${hint}`, { code, details, exitCode, cause })
}

/** A connection that ended has no code of ours. */
function isTransient({ code, exitCode }: CliError): boolean {
  return (
    code === 'failed' || exitCode === EXIT.unreachable || ['busy', 'rate_limited', 'store_unavailable'].includes(code)
  )
}

function settledRows({ details }: CliError): number {
  return BatchAhead.safeParse(details).data?.settled_rows ?? 0
}
