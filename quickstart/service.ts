import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { CliError } from '../cli/cli-error.ts'
import { installationOptions } from '../cli/service/up.ts'
import type { Output } from '../cli/terminal/output.ts'
import { formatServiceLine, isWorthShowing } from '../cli/terminal/service-log.ts'
import type { Environment } from '../config/environment.ts'
import { bringUp } from '../stack/bring-up.ts'
import { findServices } from '../stack/supervisor/record.ts'
import { AlreadyRunningError } from '../stack/supervisor/services.ts'

/** Every run signs a tenant up from the same address; a day of runs must not meet the limit meant for strangers. */
const SIGNUPS_PER_DAY = 100_000
/** Time for a service started by another process to become ready. */
const READY_TIMEOUT_MS = 90_000
const POLL_MS = 200

/** The service that the demonstration talks to. */
export interface DemoService {
  readonly apiUrl: string
  readonly temporalUiUrl: string | undefined
  /** False when it ran before. */
  readonly isOwn: boolean
  /** Stops the service if this run started it. */
  stop(): Promise<void>
}

/**
 * Starts the stack and the service, or uses the one that already runs in this checkout once it is ready. Throws
 * `StackError`, and `CliError` when a running service does not become ready.
 */
export async function openService(
  environment: Environment,
  hooks: {
    readonly output: Output
    readonly logPath: string
    /** Variables for the service, beside those of this process. */
    readonly variables?: Readonly<Record<string, string>>
  },
): Promise<DemoService> {
  const { output, logPath, variables } = hooks
  const options = installationOptions(environment, {
    log: (line) => output.note(`  ${line}`),
    onLine: (service, line) => {
      appendFileSync(logPath, `${line}\n`)
      if (isWorthShowing(line)) output.note(formatServiceLine(service, line))
    },
  })
  for (;;) {
    try {
      const env = { ...options.env, ...variables, SVC_LIMITS: raiseSignups(environment.limits) }
      const installation = await bringUp({ ...options, env })
      return {
        apiUrl: installation.services.apiUrl,
        temporalUiUrl: installation.stack.temporalUiUrl,
        isOwn: true,
        stop: async () => await installation.stop(),
      }
    } catch (error) {
      if (!(error instanceof AlreadyRunningError)) throw error
      const { apiUrl, temporalUiUrl } = error.running
      output.note(`  already running: using ${apiUrl}`)
      // If that process ends before it is ready, this run starts one.
      if (await becomesReady(apiUrl, environment.dataDir)) {
        return { apiUrl, temporalUiUrl, isOwn: false, stop: async () => {} }
      }
    }
  }
}

/** `SVC_LIMITS` with room for many sign-ups; an entry that the operator gave stays. */
export function raiseSignups(given: string | undefined): string {
  const entries = given === undefined || given === '' ? {} : z.record(z.string(), z.unknown()).parse(JSON.parse(given))
  return JSON.stringify({ signups_per_ip_day: SIGNUPS_PER_DAY, ...entries })
}

async function becomesReady(apiUrl: string, dataDir: string): Promise<boolean> {
  for (const started = performance.now(); performance.now() - started < READY_TIMEOUT_MS; await sleep(POLL_MS)) {
    if (await isReady(apiUrl)) return true
    if ((await findServices(dataDir)) === undefined) return false
  }
  throw new CliError(`the service at ${apiUrl} is running but does not become ready: see svc doctor`, {
    code: 'not_ready',
  })
}

async function isReady(apiUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${apiUrl}/ready`, { signal: AbortSignal.timeout(5000) })
    await response.body?.cancel()
    return response.status === 200
  } catch {
    return false
  }
}
