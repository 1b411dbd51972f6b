import { Piscina } from 'piscina'
import { DomainError } from '../../errors.ts'
import type { Json, JsonObject } from '../../json.ts'
import { unusable, type SchemaVerdict } from './check-schema.ts'
import type { SchemaTask } from './check-thread.ts'

/** Holds values against the JSON Schemas of customers. */
export interface SchemaChecks {
  /** Throws `busy` when too many wait, of all or of this tenant. */
  check(tenantId: string, schema: JsonObject, value: Json): Promise<SchemaVerdict>
  close(): Promise<void>
}

const THREADS = 2
const MOST_WAITING = 64
/** So that one tenant with schemas that take all of their time keeps others waiting for a few seconds at most. */
const MOST_OF_TENANT = 8
const MEMORY_MB = 128
const IDLE_MS = 30_000

/**
 * Opens the checks. They run beside the event loop and each for a bounded time, since alternatives within references
 * can ask for more steps than there will ever be time for. The threads start with the first check and end when none
 * comes for a while.
 */
export function openSchemaChecks(): SchemaChecks {
  const piscina = new Piscina({
    filename: new URL('./check-thread.ts', import.meta.url).href,
    name: 'checkInTime',
    minThreads: 0,
    maxThreads: THREADS,
    maxQueue: MOST_WAITING,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  const underWay = new Map<string, number>()
  return {
    async check(tenantId, schema, value) {
      const own = underWay.get(tenantId) ?? 0
      if (own >= MOST_OF_TENANT || piscina.queueSize >= MOST_WAITING) {
        throw new DomainError('busy', 'too many schemas wait to be checked; try again shortly', { retryAfterS: 2 })
      }
      underWay.set(tenantId, own + 1)
      const task: SchemaTask = { schema, value }
      try {
        const verdict: SchemaVerdict = await piscina.run(task)
        return verdict
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        if (code === 'ERR_WORKER_OUT_OF_MEMORY') return unusable('needs too much memory to check')
        throw error
      } finally {
        const left = (underWay.get(tenantId) ?? 1) - 1
        if (left === 0) underWay.delete(tenantId)
        else underWay.set(tenantId, left)
      }
    },
    close: async () => await piscina.destroy(),
  }
}
