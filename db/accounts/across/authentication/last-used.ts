import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import { list, unnest } from '../../../kernel/queries/typed.ts'

/** Collects the uses of keys and writes them to the database at intervals. */
export interface KeyUses {
  /** Records a use in memory. */
  note(keyId: string, at: Date): void
  /** Writes the collected uses. */
  flush(): Promise<void>
  /** Writes the remaining uses and stops. */
  close(): Promise<void>
}

const FLUSH_MS = 10_000

/**
 * Opens the recorder. A key's last use is accurate to some seconds; a killed process loses its last uses, which does
 * not affect billing.
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

/**
 * Skips rows that another transaction is changing, until the next use: two processes never wait for each other here.
 */
async function write(db: Database, batch: readonly (readonly [string, Date])[]): Promise<void> {
  const used = unnest('used', {
    id: list(
      'text',
      batch.map(([id]) => id),
    ),
    at: list(
      'timestamptz',
      batch.map(([, at]) => at),
    ),
  })
  await service.write(db, 'a process notes the uses of the keys of all tenants', async (tx) => {
    await tx.q
      .with('free', (q) =>
        q
          .selectFrom('api_keys as k')
          .innerJoin(used, 'used.id', 'k.id')
          .select(['k.id', 'used.at'])
          .where((of) => of.or([of('k.last_used_at', 'is', null), of('k.last_used_at', '<', of.ref('used.at'))]))
          .orderBy('k.id')
          .forNoKeyUpdate('k')
          .skipLocked(),
      )
      .updateTable('api_keys as k')
      .from('free')
      .set((of) => ({ last_used_at: of.ref('free.at') }))
      .whereRef('k.id', '=', 'free.id')
      .execute()
  })
}
