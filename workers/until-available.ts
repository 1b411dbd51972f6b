import { setTimeout as sleep } from 'node:timers/promises'
import { TransportError } from '@temporalio/worker'
import type { Logger } from '../config/logger.ts'
import { KERNEL_ERRORS, isOneOf } from '../core/kernel/errors.ts'
import { TenantRoleRefused } from '../db/kernel/tenant/tenant-role.ts'

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 5000

/**
 * Runs work that needs Postgres or Temporal, and retries with growing pauses while either does not answer: a worker
 * that starts before them, or before an administrator has made the role of tenants, waits. Any other error, and an abort, ends it.
 */
export async function untilAvailable<T>(
  what: string,
  options: { readonly log: Logger; readonly signal: AbortSignal },
  attempt: () => Promise<T>,
): Promise<T> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)) {
    options.signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      options.log.warn({ reason: reasonOf(error), retryInMs: delayMs }, `waiting for ${what}`)
    }
    await sleep(delayMs, undefined, { signal: options.signal })
  }
}

function isUnavailable(error: unknown): boolean {
  return (
    error instanceof TransportError ||
    error instanceof TenantRoleRefused ||
    isOneOf(error, [KERNEL_ERRORS.store_unavailable, KERNEL_ERRORS.workflow_engine_unavailable])
  )
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
