import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../db/kernel/database.ts'
import type { Transaction } from '../../../db/kernel/transaction.ts'
import { writeAll, sendSql } from '../db/send-sql.ts'

const LOOK_MS = 10
const LOOKS = 3000

/** A row or a table that a test locks, so that other transactions wait before they change it. */
export interface HeldRow {
  /** Resolves when this many sessions of the database wait for a lock; lets go and fails when they do not come. */
  untilWaiting(sessions: number): Promise<void>
  release(): Promise<void>
}

/** Locks the rows that a query finds, until they are released: so two calls meet in the order that a test wants. */
export async function holdRow(db: Database, query: string, values: readonly unknown[]): Promise<HeldRow> {
  return await hold(db, async (tx) => {
    const rows = await tx.query(`${query} for update`, values)
    if (rows.length === 0) throw new Error('there is no such row to hold')
  })
}

/** Locks a table until it is released: readers wait too. */
export async function holdTable(db: Database, table: string): Promise<HeldRow> {
  return await hold(db, async (tx) => await tx.query(`lock table ${table} in access exclusive mode`))
}

async function hold(db: Database, lock: (tx: Transaction) => Promise<unknown>): Promise<HeldRow> {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const ended = writeAll(db, async (tx) => {
    await lock(tx)
    held.resolve()
    await released.promise
  })
  await Promise.race([held.promise, ended])
  return {
    async untilWaiting(sessions) {
      for (let look = 0; look < LOOKS; look++) {
        const waiting = await sendSql(
          db,
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        if (waiting.length >= sessions) return
        await sleep(LOOK_MS)
      }
      released.resolve()
      throw new Error(`fewer than ${sessions} sessions of the database came to wait`)
    },
    async release() {
      released.resolve()
      await ended
    },
  }
}
