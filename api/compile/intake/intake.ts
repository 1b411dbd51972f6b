import type { Tolerance } from '../../../core/compile/rows/equality/tolerance.ts'
import { uploadBounds } from '../../../core/compile/rows/intake/bounds.ts'
import type { DatasetWriter } from '../../../core/compile/rows/intake/dataset.ts'
import { type DomainError, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { createFairQueue } from '../../../core/kernel/threads/fair/fair-queue.ts'
import { createHeldBytes, type Holding } from '../../../core/kernel/threads/fair/held-bytes.ts'
import { createLoopTurns } from '../../../core/kernel/threads/fair/loop-turns.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { fromOutline } from '../../../core/kernel/json/json-outline.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { openThreads } from '../../../core/kernel/threads/threads.ts'
import { decodeUtf8 } from '../../../core/kernel/json/utf8.ts'
import { countRows, HeldRows, type GivenRows } from '../../../core/compile/wire/given-rows.ts'
import {
  checkInline,
  rowsOfPreview,
  sampleInline,
  type InlineDataset,
  type PreviewRows,
  type RowSample,
} from './inline-rows.ts'
import type { BodyIntake } from '../../kernel/request/body-intake.ts'
import type { GivenFile, IntakeTasks, SentRows } from './intake-task.ts'
import type { Reread } from '../../../core/compile/rows/table/open-table.ts'
import type { TablePreview } from '../../../core/compile/rows/table/table-preview.ts'
import { readFileBeside, type FileReading } from './upload-session.ts'
import { openWorkbooks, type WorkbookReader } from './workbooks.ts'
import { evenShare, onCore, type Cores } from '../../../core/kernel/threads/cores.ts'
import { isOutOfMemory } from '../../../core/kernel/threads/thread-failure.ts'

/** Examples of a call. */
export interface GivenExamples {
  readonly examples: GivenRows
  /** `pairs` have `q` and `a` in place of `input` and `output`. */
  readonly spelling?: 'examples' | 'pairs'
  readonly unlabelled: GivenRows
  /** Tolerances of numbers that the caller states. */
  readonly tolerances?: readonly Tolerance[] | undefined
}

/** Reads bodies and their rows in one thread with bounded memory, in which callers take turns. */
export interface Intake extends BodyIntake {
  /** Throws what `checkInline` throws. */
  dataset(given: GivenExamples, caller: string): Promise<InlineDataset>
  /** Throws what a compile's intake throws. */
  sample(examples: GivenRows, caller: string): Promise<RowSample>
  /** Throws what `rowsOfPreview` throws. */
  preview(examples: GivenRows, seedsText: string | undefined, caller: string): Promise<PreviewRows>
  /** The canonical form of an uploaded file. Its chunks throw what is wrong with a row, and `busy`. */
  upload(file: GivenFile, bytes: Reread, caller: string): DatasetWriter
  /** Says how `upload` would read a file. Throws what makes it unreadable, and `busy`. */
  inspect(file: GivenFile, bytes: Reread, caller: string): Promise<TablePreview>
  /** Reads a sheet of a workbook. Throws the problem of the workbook, and `busy`. */
  readonly workbook: WorkbookReader
  close(): Promise<void>
}

/** Lists up to this long are read at once: the way to the thread and back takes as long. */
const FEW_ROWS = 20
/** A body of this size takes longer to parse than a turn of the event loop. */
const HUGE_BODY_BYTES = 1024 * 1024
const MEMORY_MB = 256
const YOUNG_MB = 12
/** Far longer than the largest body takes to read; uploads wait for their callers and have no such bound. */
const STILL_MS = 60_000
/** One is read while the next is on its way. */
const PLACES = 2
/** Memory per row of the two tables that find repeated ids and inputs, bytes. */
const ROW_BYTES = 50

/** Opens the intake; its thread starts with the first large body. */
export function openIntake(limits: Limits, cores: Cores): Intake {
  const threads = openThreads<IntakeTasks>({
    file: new URL('./intake-thread.ts', import.meta.url),
    name: 'intake',
    most: 1,
    memoryMb: MEMORY_MB,
    youngMb: YOUNG_MB,
    cores: { beside: 'a core is taken for each turn of a caller: an upload waits for its bytes without one' },
    // Uploads wait for their callers most of the time.
    tasksPerThread: 10_000,
  })
  const queue = createFairQueue(PLACES)
  const workbooks = openWorkbooks(limits, cores)
  const turns = createLoopTurns()
  const held = createHeldBytes(limits.held_body_bytes)

  async function perform<Name extends keyof IntakeTasks>(
    task: Name,
    input: IntakeTasks[Name]['input'],
    moved: readonly Uint8Array[] = [],
  ): Promise<IntakeTasks[Name]['output']> {
    try {
      return await threads.run(task, input, {
        moved: moved.filter(isAlone).map(({ buffer }) => buffer),
        stillMs: STILL_MS,
      })
    } catch (error) {
      throw isOutOfMemory(error) ? busy(error) : error
    }
  }
  const takeTurn = async <T>(caller: string, work: () => Promise<T>): Promise<T> =>
    await queue.run(caller, async () => await onCore(cores.short, evenShare(caller), undefined, work))
  const inTurn = async <Name extends keyof IntakeTasks>(
    caller: string,
    task: Name,
    input: IntakeTasks[Name]['input'],
    moved?: readonly Uint8Array[],
  ) => await takeTurn(caller, async () => await perform(task, input, moved))

  const hold = (caller: string, giveWay: (error: DomainError) => void) => held.open(caller, () => giveWay(busy()))

  function readBeside<Name extends 'upload' | 'inspect'>(
    task: Name,
    file: GivenFile,
    bytes: Reread,
    caller: string,
  ): FileReading<IntakeTasks[Name]['output']> {
    const end = new AbortController()
    const holding = hold(caller, (error) => end.abort(error))
    let remembered = 0
    const { chunks, result } = readFileBeside<IntakeTasks[Name]['output']>(bytes, {
      start: async (onProgress, signal) =>
        (await threads.run<'upload' | 'inspect'>(
          task,
          { file, bounds: uploadBounds(limits) },
          { onProgress, signal },
        )) as IntakeTasks[Name]['output'],
      inTurn: async (work) => await takeTurn(caller, work),
      onRows(rows) {
        holding.add((rows - remembered) * ROW_BYTES)
        remembered = rows
      },
      signal: end.signal,
    })
    return { chunks: releasing(chunks, holding), result }
  }

  return {
    async readBody(chunks, { longLists, restParts, maxDepth, maxParts }, caller) {
      const bounds = { maxDepth, maxParts }
      const size = chunks.reduce((sum, { length }) => sum + length, 0)
      if (longLists.length === 0 && size > HUGE_BODY_BYTES) {
        return await fromOutline(await inTurn(caller, 'outline', { chunks, bounds }, chunks))
      }
      const bytes = Buffer.concat(chunks)
      if (longLists.length === 0) {
        await inTurn(caller, 'check', { bytes, bounds })
        await turns.take(caller)
        const body: Json = JSON.parse(decodeUtf8(bytes, 'body'))
        return body
      }
      const { rest, lists } = await inTurn(caller, 'split', { bytes, bounds, restParts, lists: longLists }, [bytes])
      await turns.take(caller)
      const rows = Object.entries(lists).map(([name, { json, count }]) => [name, new HeldRows(json, count)])
      const body: unknown = rows.length === 0 ? rest : { ...asObject(rest), ...Object.fromEntries(rows) }
      // Schemas of these routes know rows that are held; nothing else looks at the body.
      return body as Json
    },
    async dataset({ examples, spelling = 'examples', unlabelled, tolerances }, caller) {
      const [few, fewUnlabelled] = [fewOf(examples), fewOf(unlabelled)]
      if (few && fewUnlabelled) {
        return await checkInline({ examples: few, spelling, unlabelled: fewUnlabelled, tolerances }, limits)
      }
      const sent = { examples: sentForm(examples), spelling, unlabelled: sentForm(unlabelled), tolerances, limits }
      return await inTurn(caller, 'dataset', sent)
    },
    async sample(examples, caller) {
      const few = fewOf(examples)
      return few
        ? await sampleInline(few, limits)
        : await inTurn(caller, 'sample', { examples: sentForm(examples), limits })
    },
    async preview(examples, seedsText, caller) {
      const few = fewOf(examples)
      if (few && seedsText === undefined) return await rowsOfPreview(few, undefined, limits)
      return await inTurn(caller, 'preview', { examples: sentForm(examples), seedsText, limits })
    },
    upload(file, bytes, caller) {
      const { chunks, result } = readBeside('upload', file, bytes, caller)
      return { chunks, summary: result }
    },
    async inspect(file, bytes, caller) {
      const { chunks, result } = readBeside('inspect', file, bytes, caller)
      // Nothing is written: reading to the end is what makes the result.
      for await (const _ of chunks);
      return result()
    },
    workbook: async (bytes, choice, caller) => await workbooks.read(bytes, choice, caller),
    turn: async (caller) => await turns.take(caller),
    hold,
    close: async () => {
      await Promise.all([threads.close(), workbooks.close()])
    },
  }
}

async function* releasing(chunks: AsyncGenerator<Uint8Array>, holding: Holding): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } finally {
    holding.release()
  }
}

/** The rows themselves, when they are few enough to be read at once. */
function fewOf(rows: GivenRows): readonly unknown[] | undefined {
  return rows instanceof HeldRows || countRows(rows) > FEW_ROWS ? undefined : rows
}

function sentForm(rows: GivenRows): SentRows {
  return rows instanceof HeldRows ? { kind: 'json', json: rows.json } : { kind: 'values', values: rows }
}

/** True for bytes that have their memory to themselves, so that it can go over to the thread. */
function isAlone(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
}

function asObject(value: Json): object {
  return typeof value === 'object' && value !== null ? value : {}
}

function busy(cause?: unknown): DomainError {
  return KERNEL_ERRORS.busy('the service is reading too many large requests; try again shortly', {
    retryAfterS: 2,
    cause,
  })
}
