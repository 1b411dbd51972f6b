import { mkdir, statfs } from 'node:fs/promises'
import { KERNEL_ERRORS, type DomainError } from '../../core/kernel/errors.ts'
import { roomOf, UNKNOWN_ROOM, type Room, type StoragePlace } from '../../core/kernel/storage/room.ts'
import type { Limits } from '../../core/kernel/limits.ts'
import type { Logger } from '../../config/logger.ts'
import { within, type Database } from '../../db/kernel/database.ts'
import { measureDatabase } from '../../db/kernel/storage/measure-database.ts'
import { timerMs } from '../../core/kernel/threads/timers.ts'

/** The places of the service's bytes that this process can measure. */
export interface StorageSettings {
  /** Folder in which uploads wait. */
  readonly spoolDir: string
  /** Folder in which captures wait for the database. */
  readonly captureDir: string
  /** Folder of the database's files, when the database is on this machine. */
  readonly databaseDir?: string | undefined
  /** Bytes that the database may have, for one whose disk this process cannot see. */
  readonly databaseBytes?: number | undefined
}

/** Knows how much room there is, and stops intake when it is little. */
export interface StorageWatch {
  room(): Room
  /** Throws `storage_full` while intake is stopped. */
  requireRoom(): void
  /**
   * Counts bytes that are written for a caller, in the spool or in the store, against the room that was measured last.
   * Throws `storage_full`.
   */
  take(bytes: number): void
  close(): void
}

/** A byte of a caller is counted twice each time it is written: in the store it takes as much again in the log. */
const COPIES = 2
const LOOK_MS = 5000

/**
 * Measures now and then every `storage_check_s`: the free bytes of the file systems, and of the database its size and
 * what it can reuse. A look that fails leaves the last one in force, so that a database that is away does not stop what
 * does not need it.
 */
export async function openStorageWatch(options: {
  readonly db: Database
  readonly settings: StorageSettings
  readonly limits: Limits
  readonly log: Logger
}): Promise<StorageWatch> {
  const { db, settings, limits, log } = options
  for (const folder of [settings.spoolDir, settings.captureDir]) await mkdir(folder, { recursive: true, mode: 0o700 })
  let room: Room = UNKNOWN_ROOM
  let takenBytes = 0
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  async function look(): Promise<void> {
    try {
      const next = roomOf(await measurePlaces(db, settings), room.isLow, limits)
      if (next.isLow !== room.isLow) {
        log.warn({ ...next.tightest }, next.isLow ? 'storage is low: intake stops' : 'there is room: intake goes on')
      }
      room = next
      takenBytes = 0
    } catch (error) {
      log.warn({ err: error }, 'the room for data could not be measured; the last measurement stays in force')
    }
    if (!isClosed) timer = setTimeout(() => void look(), timerMs(limits.storage_check_s * 1000)).unref()
  }
  await look()

  return {
    room: () => room,
    requireRoom() {
      if (room.isLow) throw storageFull()
    },
    take(bytes) {
      if (room.isLow || (takenBytes + bytes) * COPIES > room.intakeBytes) throw storageFull()
      takenBytes += bytes
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

async function measurePlaces(db: Database, settings: StorageSettings): Promise<readonly StoragePlace[]> {
  const { spoolDir, captureDir, databaseDir, databaseBytes } = settings
  const size =
    databaseDir === undefined && databaseBytes === undefined ? undefined : await within(LOOK_MS, measureDatabase(db))
  return [
    { name: 'spool', reusableBytes: 0, ...(await spaceOf(spoolDir)) },
    { name: 'captures', reusableBytes: 0, ...(await spaceOf(captureDir)) },
    ...(databaseDir === undefined
      ? []
      : [{ name: 'database', reusableBytes: size?.reusableBytes ?? 0, ...(await spaceOf(databaseDir)) } as const]),
    ...(databaseBytes === undefined || size === undefined
      ? []
      : [
          {
            name: 'database',
            totalBytes: databaseBytes,
            freeBytes: databaseBytes - size.totalBytes,
            reusableBytes: size.reusableBytes,
          } as const,
        ]),
  ]
}

async function spaceOf(folder: string): Promise<Pick<StoragePlace, 'totalBytes' | 'freeBytes'>> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize }
}

function storageFull(): DomainError {
  return KERNEL_ERRORS.storage_full(
    'the service is low on disk space and accepts no new data; reading, running and jobs under way continue. Try again later.',
    { retryAfterS: 60 },
  )
}
