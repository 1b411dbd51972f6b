import type { Limits } from '../../../../core/gateway/limits.ts'
import { timerMs } from '../../../../core/kernel/threads/timers.ts'
import type { NewCapture } from '../../../../core/gateway/captures/capture.ts'
import { bytesIn, encodeCapture, encodePacked } from '../../../../core/gateway/captures/spill-frames.ts'
import type { SigningKey } from '../../../../core/ledger/keys/signing-key.ts'
import { commitCaptures, type ReadyCapture } from '../../across/commit-captures.ts'
import { putBlob } from '../../../kernel/blobs/put-blob.ts'
import type { StoredBlob } from '../../../kernel/blobs/read-blob.ts'
import type { Database } from '../../../kernel/database.ts'
import { ContentRoom } from './content-room.ts'
import { Drain } from './drain.ts'
import { CaptureGroup } from './group.ts'
import { Spill } from './spill.ts'

/**
 * When a call is answered: once its capture is on this machine's disk, from where it is committed in groups, or once it is
 * committed.
 */
export type Durability = 'grouped' | 'before_answer'

/** Counts of the captures of this process. */
export interface CaptureFigures {
  /** Rows that this process committed. */
  readonly committed: number
  /** Bytes on the disk that wait to be committed. */
  readonly spilledBytes: number
  /** Captures that could be kept nowhere. */
  readonly lost: number
  /** Captures that the database refused. */
  readonly refused: number
}

/** Records captures. */
export interface CaptureWriter {
  /**
   * Records a capture. Returns true when it is durable in the way asked for: on the disk of this machine, so that the end of
   * the process loses nothing, or committed. Otherwise it is recorded later if that is possible. Never throws.
   */
  write(capture: NewCapture, durability: Durability): Promise<boolean>
  /**
   * Commits captures and returns the number of new rows: for logs, whose answer is about the rows, and whose caller counts their
   * bytes. Throws `store_unavailable`. `into` joins the commit to the other work of a call.
   */
  commit(captures: readonly NewCapture[], into: Database): Promise<number>
  /** Decides which contents are stored. */
  readonly room: Pick<ContentRoom, 'take' | 'promise' | 'release' | 'giveUp' | 'takenBytes'>
  figures(): CaptureFigures
  close(): Promise<void>
}

/** Where and how captures are recorded. */
export interface CaptureWriterOptions {
  readonly db: Database
  readonly signer: SigningKey
  /** Folder of the spill files of all processes of this machine. */
  readonly folder: string
  readonly limits: Limits
  /** Counts bytes against the room of the disk. Throws `storage_full`. */
  readonly takeRoom: (bytes: number) => void
  readonly now: () => Date
  readonly log: {
    warn(facts: object, message: string): void
    info(facts: object, message: string): void
    error(facts: object, message: string): void
  }
}

/** Lines about captures that were not kept are at least this far apart. */
const SAY_EVERY_MS = 10_000

/** Opens the writer of this process. Leftovers of dead processes are committed in the background. */
export function openCaptureWriter(options: CaptureWriterOptions): CaptureWriter {
  const { db, signer, limits, log, now } = options
  let committed = 0
  let lost = 0
  let refused = 0
  let saidAt = Number.NEGATIVE_INFINITY

  const room = new ContentRoom({ db, limits, take: options.takeRoom, now })
  const release = ({ facts }: NewCapture): void => room.release(facts.id)
  const commit = async (
    into: Database,
    captures: readonly NewCapture[],
    onCounted?: (stored: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>) => void,
  ): Promise<number> => {
    const ready: ReadyCapture[] = []
    for (const capture of captures) ready.push(await withBlob(db, capture, limits.capture_inline_bytes))
    const rows = await commitCaptures(into, signer, ready, now(), onCounted)
    committed += rows
    return rows
  }
  const commitGroup = async (captures: readonly NewCapture[]): Promise<void> => {
    await commit(db, captures, (stored, counts) => room.counted(stored, counts))
    for (const capture of captures) release(capture)
  }
  const group = new CaptureGroup({ commit: commitGroup, maxBytes: limits.capture_waiting_bytes })
  const spill = new Spill({
    root: options.folder,
    maxBytes: limits.capture_spill_bytes,
    warn: (error) => log.error({ err: error }, 'the spill log of captures cannot be written'),
  })
  const drain = new Drain(spill, commitGroup, {
    onAway: (isAway, error) => {
      if (isAway) log.warn({ err: error, spilled_bytes: spill.heldBytes }, 'captures wait on the disk for the database')
      else log.info({}, 'captures are committed again')
    },
    onRefused: (capture, error) => {
      refused++
      release(capture)
      log.error({ capture_id: capture.facts.id, code: codeOf(error) }, 'the database refuses a capture; it is dropped')
    },
    onTorn: (bytes) => log.warn({ bytes }, 'a spill log ends within a record, which was never acknowledged'),
  })

  const sayLost = (capture: NewCapture): void => {
    lost++
    release(capture)
    if (performance.now() - saidAt < SAY_EVERY_MS) return
    saidAt = performance.now()
    log.error(
      { capture_id: capture.facts.id, lost, spilled_bytes: spill.heldBytes },
      'captures are not kept: no room is left',
    )
  }
  /** Keeps a capture in memory until it is committed, where the disk takes none. */
  const keepInMemory = (capture: NewCapture, bytes: number): void => {
    const waiting = group.add(capture, bytes)
    if (waiting === null) sayLost(capture)
    else waiting.catch(() => sayLost(capture))
  }

  return {
    async write(capture, durability) {
      const record = capture.packed === undefined ? [encodeCapture(capture)] : await encodePacked(capture)
      const bytes = bytesIn(record)
      if (durability === 'before_answer') {
        const waiting = group.add(capture, bytes)
        if (waiting !== null && (await isDoneWithin(waiting, timerMs(limits.capture_commit_s * 1000)))) return true
        // Also when the commit is still under way: the same capture is stored once.
        if (!(await spill.append(capture, record))) {
          if (waiting === null) sayLost(capture)
          else waiting.catch(() => sayLost(capture))
        }
        return false
      }
      if (await spill.append(capture, record)) return true
      keepInMemory(capture, bytes)
      return false
    },
    commit: async (captures, into) => await commit(into, captures),
    room,
    figures: () => ({ committed, spilledBytes: spill.heldBytes, lost, refused }),
    async close() {
      await group.settle()
      await drain.close()
      await spill.close()
      await room.close()
    },
  }
}

/** Stores a large content as a blob. */
async function withBlob(db: Database, capture: NewCapture, inlineBytes: number): Promise<ReadyCapture> {
  if (capture.content === null) return { capture, blobSha256: null, bytes: 0 }
  if (capture.packed !== undefined) {
    return blobOf(capture, await putBlob(db, contentOf(capture.packed)))
  }
  const { prompt, response } = capture.content
  // The texts are parts of body and answer: a cheap bound spares most captures the measurement.
  const text = prompt.length + response.length > inlineBytes ? null : JSON.stringify(capture.content)
  const bytes = text === null ? Number.POSITIVE_INFINITY : Buffer.byteLength(text)
  if (bytes <= inlineBytes) return { capture, blobSha256: null, bytes }
  return blobOf(capture, await putBlob(db, Buffer.from(text ?? JSON.stringify(capture.content))))
}

function blobOf(capture: NewCapture, { sha256, sizeBytes }: StoredBlob): ReadyCapture {
  return { capture, blobSha256: sha256, bytes: sizeBytes }
}

/** A large content, whose chunks are hashed and written one after the other. */
async function* contentOf(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

/** Returns false when it failed or takes longer. */
async function isDoneWithin(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const done = work.then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([done, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A failure's code: its message may quote what a caller sent. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
