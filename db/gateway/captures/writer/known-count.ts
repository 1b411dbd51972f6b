/** The counts that are known of a tenant. */
export interface Known {
  usedBytes: number
  /** Bytes that this process took and has not committed yet. */
  takenBytes: number
  /** By `performance.now()`: of the count itself, which commits bring too, and of the row with the time of its recount. */
  readAt: number
  rowReadAt: number
  /** By `performance.now()`. */
  recountedAt: number
  /** Of the last request to count the rows, by `performance.now()`. */
  askedAt: number
  reading: Promise<void> | undefined
}

/** Returns the state of a tenant of which nothing is known. */
export function newKnown(): Known {
  return {
    usedBytes: 0,
    takenBytes: 0,
    readAt: Number.NEGATIVE_INFINITY,
    rowReadAt: Number.NEGATIVE_INFINITY,
    recountedAt: Number.NEGATIVE_INFINITY,
    askedAt: Number.NEGATIVE_INFINITY,
    reading: undefined,
  }
}
