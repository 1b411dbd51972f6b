import pLimit, { type LimitFunction } from 'p-limit'
import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { openThreads } from '../../../kernel/threads/threads.ts'
import { unusable, type SchemaVerdict } from './check-schema.ts'
import type { SchemaTask } from './check-thread.ts'

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

const THREADS = 2
const MOST_TENANTS = 64
const MOST_OF_TENANT = 8
const MEMORY_MB = 128

/**
 * Opens the checks. They run beside the event loop and each for a bounded time, since alternatives within references
 * can ask for more steps than there will ever be time for. Tenants take turns: each has one check in the threads or
 * waiting for them, so one with schemas that take all of their time keeps no other waiting for more than one of them.
 */
export function openSchemaChecks(): SchemaChecks {
  const threads = openThreads<SchemaTask, SchemaVerdict>({
    file: new URL('./check-thread.ts', import.meta.url),
    name: 'checkInTime',
    most: THREADS,
    memoryMb: MEMORY_MB,
  })
  const lines = new Map<string, Line>()

  async function run(task: SchemaTask): Promise<SchemaVerdict> {
    try {
      return await threads.run(task)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'ERR_WORKER_OUT_OF_MEMORY') return unusable('needs too much memory to check')
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
        return await line.inTurn(async () => await run({ schema, value }))
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
