/** Memory held for one call. */
export interface Holding {
  /** Holds this many bytes more; makes the largest caller give way when that is more than there are. */
  add(bytes: number): void
  /** Lets go of everything. Safe to call twice. */
  release(): void
}

/** Memory that calls may hold together. */
export interface HeldBytes {
  /** Begins to hold for a call; `giveWay` is called at most once, when the caller holds most and others need room. */
  open(caller: string, giveWay: () => void): Holding
  /** Bytes held now. */
  readonly total: number
}

interface Entry {
  bytes: number
  readonly giveWay: () => void
}

/**
 * Creates a bound on memory held for callers. When it is exceeded, the caller who holds most loses its newest entry, so
 * that one caller cannot lock out the others.
 */
export function createHeldBytes(maxBytes: number): HeldBytes {
  const callers = new Map<string, { bytes: number; readonly entries: Set<Entry> }>()
  let total = 0

  const release = (caller: string, entry: Entry) => {
    const holder = callers.get(caller)
    if (holder?.entries.delete(entry) !== true) return false
    total -= entry.bytes
    holder.bytes -= entry.bytes
    if (holder.entries.size === 0) callers.delete(caller)
    return true
  }
  const makeRoom = () => {
    while (total > maxBytes) {
      const [caller, holder] = [...callers].reduce((largest, one) => (one[1].bytes > largest[1].bytes ? one : largest))
      const last = [...holder.entries].findLast(({ bytes }) => bytes > 0)
      if (last === undefined || !release(caller, last)) return
      last.giveWay()
    }
  }
  return {
    get total() {
      return total
    },
    open(caller, giveWay) {
      const entry: Entry = { bytes: 0, giveWay }
      const holder = callers.get(caller) ?? { bytes: 0, entries: new Set<Entry>() }
      holder.entries.add(entry)
      callers.set(caller, holder)
      return {
        add(bytes) {
          // A dropped entry holds no more bytes, even while its body is still read.
          if (!callers.get(caller)?.entries.has(entry)) return
          entry.bytes += bytes
          const current = callers.get(caller)
          if (current) current.bytes += bytes
          total += bytes
          if (total > maxBytes) makeRoom()
        },
        release: () => void release(caller, entry),
      }
    },
  }
}
