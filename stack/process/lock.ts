import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` while no other process holds the lock of this file. The lock is SQLite's, so it belongs to the open file
 * and the system drops it when its holder dies, however it dies: it can never be stale. `onWait` is called once when
 * another process holds it.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, onWait?: () => void): Promise<T> {
  const lock = new DatabaseSync(file)
  try {
    let hasWaited = false
    while (!tryTake(lock)) {
      if (!hasWaited) onWait?.()
      hasWaited = true
      await sleep(100)
    }
    return await work()
  } finally {
    lock.close()
  }
}

function tryTake(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof Error && error.message.includes('database is locked')) return false
    throw error
  }
}
