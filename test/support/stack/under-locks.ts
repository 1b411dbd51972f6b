import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../../db/kernel/database.ts'
import type { Transaction } from '../../../db/kernel/transaction.ts'
import { sendSql } from '../db/send-sql.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'

/**
 * Does the work in a transaction of the tenant, begins a call, waits until the call wants a lock (or is through), looks,
 * commits, and answers what the call came to.
 */
export async function callUnderLocks<T>(
  { db, tenantId }: { readonly db: Database; readonly tenantId: string },
  {
    hold,
    call,
    look,
  }: {
    readonly hold: (tx: Transaction) => Promise<unknown>
    readonly call: () => Promise<T>
    readonly look?: (tx: Transaction) => Promise<unknown>
  },
): Promise<T> {
  let calling: Promise<T> | undefined
  await tenantOf(db, tenantId).write(async (tx) => {
    await hold(tx)
    await tx.em.flush()
    calling = call()
    await untilWaiting(db, calling)
    await look?.(tx)
  })
  if (calling === undefined) throw new Error('nothing was called')
  return await calling
}

/** Resolves when so many calls wait for a lock in the database, or the call is through. */
export async function untilWaiting(db: Database, calling: Promise<unknown>, calls = 1): Promise<void> {
  let isThrough = false
  const through = () => void (isThrough = true)
  void calling.then(through, through)
  for (;;) {
    const waiting = await sendSql(
      db,
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (waiting.length >= calls || isThrough) return
    await sleep(5)
  }
}
