import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../config/logger.ts'

const RESTART_MS = 1000

/** Something that runs until it is stopped or fails. */
export interface Running {
  /** Resolves once the signal has stopped it. */
  run(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/**
 * Makes something and runs it, and does both again on failure, until the signal is aborted. It then resolves, also
 * while waiting to be made. Rejects when it cannot be made for a reason other than an outage.
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
