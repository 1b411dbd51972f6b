import { createContext, Script } from 'node:vm'
import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import { serveTasks } from '../../../kernel/threads/serve-tasks.ts'
import { checkSchema, unusable, type SchemaVerdict } from './check-schema.ts'

/** A schema, and what is held against it. */
interface SchemaTask {
  readonly schema: JsonObject
  readonly value: Json
  /** Milliseconds of the thread's own time that the check may take. */
  readonly limitMs: number
}

/** The task of the threads that check schemas. */
export interface SchemaTasks {
  readonly check: { readonly input: SchemaTask; readonly output: SchemaVerdict }
}

/**
 * The most wall-clock time of an attempt, as a multiple of the limit. On a busy machine a thread gets little of that, so a
 * check that was stopped before it had the limit in CPU time of its own is repeated with more.
 */
const MOST_TIMES = 6

/** The room of a repetition over the wall-clock time in which the last attempt would have had the limit. */
const ROOM = 1.5

/** The share of the limit that counts as all of it: no thread has a core to itself all the time. */
const ENOUGH = 0.8

const call = new Script('run()')

/** `node:vm` is here for its clock alone: it ends what runs too long and leaves the thread as it was. */
function checkInTime(task: SchemaTask): SchemaVerdict {
  const { limitMs } = task
  for (let timeoutMs = limitMs; ;) {
    const before = process.threadCpuUsage()
    const verdict = checkWithin(task, timeoutMs)
    if (verdict !== null) return verdict
    const { user, system } = process.threadCpuUsage(before)
    const usedMs = (user + system) / 1000
    const mostMs = MOST_TIMES * limitMs
    if (usedMs >= ENOUGH * limitMs || timeoutMs >= mostMs) return unusable(`takes longer than ${limitMs} ms to check`)
    timeoutMs = Math.min(mostMs, Math.ceil((ROOM * timeoutMs * limitMs) / Math.max(1, usedMs)))
  }
}

/** Returns null on a timeout. */
function checkWithin({ schema, value }: SchemaTask, timeoutMs: number): SchemaVerdict | null {
  let verdict: SchemaVerdict | null = null
  const run = (): void => {
    verdict = checkSchema(schema, value)
  }
  try {
    call.runInContext(createContext({ run }), { timeout: timeoutMs })
  } catch (error) {
    if (!isTimeout(error)) throw error
  }
  return verdict
}

/** The error comes from the other context, so it is not an instance of this context's `Error`. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

serveTasks<SchemaTasks>({ check: (task) => checkInTime(task) })
