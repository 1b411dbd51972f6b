import pLimit, { type LimitFunction } from 'p-limit'
import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { evenShare, type Cores } from '../../../kernel/threads/cores.ts'
import { isOutOfMemory } from '../../../kernel/threads/thread-failure.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'
import { unusable, type SchemaVerdict } from './check-schema.ts'
import type { SchemaTasks } from './check-thread.ts'

/** Holds values against the JSON Schemas of customers. */
export interface SchemaChecks {
  /** Throws `busy` when too many wait, of all tenants or of this one. */
  check(tenantId: string, schema: JsonObject, value: Json): Promise<SchemaVerdict>
  close(): Promise<void>
}

/** The checks of one tenant: one runs, the others wait in order of arrival. */
interface Line {
  readonly inTurn: LimitFunction
  length: number
}

/** Enough for any schema that was written to describe data; milliseconds of a thread's own time. */
const LIMIT_MS = 500
const THREADS = 2
const MOST_TENANTS = 64
const MOST_OF_TENANT = 8
/**
 * More than a check can fill in its time: a thread that passes its bound by one large allocation takes the process along, which
 * Node does not prevent.
 */
const MEMORY_MB = 384
const YOUNG_MB = 12
/** Far longer than a check may take. */
const STILL_MS = 60_000

/**
 * Opens the checks. They run beside the event loop and each for a bounded time, since alternatives within references
 * can ask for more steps than there will ever be time for. Tenants take turns: each has one check in the threads or
 * waiting for them, so one with schemas that take all of their time keeps no other waiting for more than one of them.
 * `limitMs` is the time of one check.
 */
export function openSchemaChecks(cores: Cores, limitMs = LIMIT_MS): SchemaChecks {
  const threads = openThreads<SchemaTasks>({
    file: new URL('./check-thread.ts', import.meta.url),
    name: 'schema check',
    most: THREADS,
    memoryMb: MEMORY_MB,
    youngMb: YOUNG_MB,
    stillMs: STILL_MS,
    cores: cores.short,
  })
  const lines = new Map<string, Line>()

  async function run(tenantId: string, schema: JsonObject, value: Json): Promise<SchemaVerdict> {
    try {
      return await threads.run('check', { schema, value, limitMs }, { share: evenShare(tenantId) })
    } catch (error) {
      if (isOutOfMemory(error)) return unusable('needs too much memory to check')
      throw error
    }
  }

  return {
    async check(tenantId, schema, value) {
      const line = lines.get(tenantId) ?? { inTurn: pLimit({ concurrency: 1, rejectOnClear: true }), length: 0 }
      if (line.length >= MOST_OF_TENANT || (line.length === 0 && lines.size >= MOST_TENANTS)) {
        throw KERNEL_ERRORS.busy('too many schemas wait to be checked; try again shortly', { retryAfterS: 2 })
      }
      lines.set(tenantId, line)
      line.length++
      try {
        return await line.inTurn(async () => await run(tenantId, schema, value))
      } finally {
        line.length--
        if (line.length === 0) lines.delete(tenantId)
      }
    },
    async close() {
      for (const { inTurn } of lines.values()) inTurn.clearQueue()
      await threads.close()
    },
  }
}
