import type { Limits } from '../limits.ts'

/** A place that stores bytes: a file system, or a database with its own size. */
export interface StoragePlace {
  readonly name: 'database' | 'spool' | 'captures'
  readonly totalBytes: number
  readonly freeBytes: number
  /** Bytes inside the database's files that it fills again before the files grow. */
  readonly reusableBytes: number
}

/** Free room for new bytes. */
export interface Room {
  /** True while intake is stopped. */
  readonly isLow: boolean
  /** Bytes that can be stored before intake stops, in the tightest place; infinite without a known place. */
  readonly intakeBytes: number
  /** The tightest place; null where none is known. */
  readonly tightest: (StoragePlace & { readonly reserveBytes: number }) | null
}

/** The room of a service that has not looked yet. */
export const UNKNOWN_ROOM: Room = { isLow: false, intakeBytes: Number.POSITIVE_INFINITY, tightest: null }

/**
 * Decides whether the service accepts new data, from the current measurement and the previous decision. The reserve is
 * a number of bytes, and at most a share of the place, so that a small disk is usable. Half of it must be free on the
 * disk even if the database can reuse space inside, since the write-ahead log and temporary files cannot use that.
 * After a stop, intake resumes only above `storage_resume_percent` of the reserve, so that it does not flap.
 */
export function roomOf(places: readonly StoragePlace[], wasLow: boolean, limits: Limits): Room {
  const measured = places.map((place) => {
    const reserveBytes = Math.min(
      limits.storage_reserve_bytes,
      (place.totalBytes * limits.storage_reserve_percent) / 100,
    )
    const neededBytes = wasLow ? (reserveBytes * limits.storage_resume_percent) / 100 : reserveBytes
    const intakeBytes = Math.min(
      place.freeBytes + place.reusableBytes - neededBytes,
      // Reusable space counts while the disk keeps half of the reserve.
      place.freeBytes >= neededBytes / 2 ? Number.POSITIVE_INFINITY : place.freeBytes - neededBytes / 2,
    )
    return { place: { ...place, reserveBytes }, intakeBytes }
  })
  const tightest = measured.toSorted((a, b) => a.intakeBytes - b.intakeBytes)[0]
  if (tightest === undefined) return UNKNOWN_ROOM
  return {
    isLow: tightest.intakeBytes <= 0,
    intakeBytes: Math.max(tightest.intakeBytes, 0),
    tightest: tightest.place,
  }
}
