import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Niceness of processes whose work may wait for answers of the API: a third of a core beside a busy thread of it. */
const BEHIND_ANSWERS = 5

/**
 * Lowers the priority of a process below that of the API: each thread that it has, and those that they start afterwards. Where it is not
 * allowed, nothing changes.
 */
export function letAnswersGoFirst(pid: number): void {
  for (const thread of threadsOf(pid)) {
    try {
      setPriority(thread, BEHIND_ANSWERS)
    } catch {
      // The thread has ended, or may not be changed.
    }
  }
}

/** Ids of the threads on Linux, where each has a priority of its own; elsewhere the process. */
function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return [pid]
  }
}
