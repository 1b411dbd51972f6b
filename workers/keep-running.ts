import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../config/logger.ts'

const RESTART_MS = 1000

/** Something that runs until it is stopped or fails. */
export interface Running {
  /** Ends well once the signal has stopped it. */
  run(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/**
 * Runs what was made, and makes and runs it again whenever it fails, until the signal is aborted: then it ends well,
 * also when that happens while it waits to be made. Rejects when it cannot be made for another reason.
 */
export async function keepRunning(
  first: Running,
  make: () => Promise<Running>,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
): Promise<void> {
  try {
    for (let current = first; ; current = await make()) {
      try {
        await current.run(signal)
        return
      } catch (error) {
        if (signal.aborted) return
        log.error({ err: error }, 'a worker ended by an error; the workers are set up again')
      } finally {
        await current.close().catch((error: unknown) => log.warn({ err: error }, 'closing Temporal failed'))
      }
      await sleep(RESTART_MS, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
