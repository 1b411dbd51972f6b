import type { Database } from '../../../kernel/database.ts'

/** Remembers which keys were used, and writes it down now and then. */
export interface KeyUses {
  /** Notes a use; costs nothing but memory. */
  note(keyId: string, at: Date): void
  /** Writes down what was noted. */
  flush(): Promise<void>
  /** Writes down the rest and stops. */
  close(): Promise<void>
}

const FLUSH_MS = 10_000

/**
 * Opens the notes. A key's last use is known to some seconds; a process that is killed forgets the last of them, which
 * nobody is charged for.
 */
export function createKeyUses(db: Database, options: { readonly flushMs?: number } = {}): KeyUses {
  let noted = new Map<string, Date>()
  const flush = async (): Promise<void> => {
    if (noted.size === 0) return
    const batch = [...noted]
    noted = new Map()
    try {
      await write(db, batch)
    } catch (error) {
      // For the next time; what was used since then is newer.
      noted = new Map([...batch, ...noted])
      throw error
    }
  }
  const timer = setInterval(() => {
    flush().catch((error: unknown) => db.warn(`last uses of keys: ${String(error)}`))
  }, options.flushMs ?? FLUSH_MS)
  timer.unref()
  return {
    note: (keyId, at) => void noted.set(keyId, at),
    flush,
    async close() {
      clearInterval(timer)
      await flush().catch((error: unknown) => db.warn(`last uses of keys: ${String(error)}`))
    },
  }
}

/** Rows that somebody changes right now are left to the next use: two processes never wait for each other here. */
async function write(db: Database, batch: readonly (readonly [string, Date])[]): Promise<void> {
  await db.query(
    `with used as (select * from unnest($1::text[], $2::timestamptz[]) as used (id, at)),
     free as (
       select k.id, used.at from api_keys k join used on used.id = k.id
       where k.last_used_at is null or k.last_used_at < used.at
       order by k.id for no key update of k skip locked
     )
     update api_keys k set last_used_at = free.at from free where k.id = free.id`,
    [batch.map(([id]) => id), batch.map(([, at]) => at)],
  )
}
