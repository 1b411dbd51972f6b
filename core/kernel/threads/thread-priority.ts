import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Niceness of work that others may overtake: about a tenth of a core beside a busy thread of the usual priority. */
const BACKGROUND_NICENESS = 10

/**
 * Lowers the priority of the calling thread, and of the threads that it starts afterwards, below that of all others. On
 * Linux, where each thread has its own priority; elsewhere, or where it is not allowed, nothing changes.
 */
export function lowerThreadPriority(niceness = BACKGROUND_NICENESS): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (Number.isInteger(thread)) setPriority(thread, niceness)
  } catch {
    // The work is done all the same, only less politely.
  }
}
