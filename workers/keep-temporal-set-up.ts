import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../config/logger.ts'
import type { TemporalYaml } from '../config/temporal-yaml.ts'
import { restoreTemporalYaml } from '../temporal/apply.ts'
import type { TemporalClient } from '../temporal/client.ts'

/** Interval between two checks, milliseconds. */
const EVERY_MS = 10_000

/**
 * Restores the parts of temporal.yaml that Temporal has lost while the workers run: without its namespace no workflow
 * runs, and without its schedules no chore does. Returns a function that stops it. Never rejects.
 */
export function keepTemporalSetUp(temporal: TemporalClient, file: TemporalYaml, log: Logger): () => Promise<void> {
  const stopping = new AbortController()
  const look = async (): Promise<void> => {
    try {
      const restored = await restoreTemporalYaml(temporal, file)
      if (restored.length > 0) log.warn({ restored }, 'Temporal had lost parts of temporal.yaml; they are restored')
    } catch (error) {
      log.warn({ err: error }, 'Temporal cannot be compared with temporal.yaml; the next check tries again')
    }
  }
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (!stopping.signal.aborted) await look()
    }
  })()
  return async () => {
    stopping.abort()
    await looking
  }
}
