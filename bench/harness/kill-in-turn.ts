import { setTimeout as sleep } from 'node:timers/promises'
import { mulberry32 } from '../../core/model/classifier/logistic-regression.ts'
import type { BenchService } from './service.ts'

/** The four processes of a service, in the order of the kills. */
const TARGETS = ['worker', 'api', 'temporal', 'postgres'] as const

/** Number of kills, and the time between them. */
export interface KillPlan {
  readonly kills: number
  /** The same seed gives the same pauses. */
  readonly seed: number
  /** Shortest and longest pause before a kill, milliseconds. */
  readonly pauseMs: readonly [number, number]
  /** Answers true when no further process is to be killed. */
  readonly isOver: () => boolean
}

/**
 * Sends SIGKILL to worker, API, Temporal and Postgres in turn, after pauses drawn from the seed. A process that is being
 * started again at that moment is passed over. Returns the number of processes killed.
 */
export async function killInTurn(
  service: BenchService,
  { kills, seed, pauseMs: [shortest, longest], isOver }: KillPlan,
): Promise<number> {
  const random = mulberry32(seed)
  let killed = 0
  while (killed < kills && !isOver()) {
    await sleep(shortest + random() * (longest - shortest))
    const target = TARGETS[killed % TARGETS.length] ?? 'worker'
    const identity = (await service.processes())[target]
    if (identity === undefined) continue
    try {
      process.kill(identity.pid, 'SIGKILL')
      killed++
      console.log(`killed ${target} (${identity.pid})`)
    } catch {
      // The process is being started again.
    }
  }
  return killed
}

/** An answer of the API: its status and its parsed JSON body. */
export interface JsonAnswer {
  readonly status: number
  readonly body: unknown
}

/**
 * Sends a call until the API answers it with a status below 500 that is not 409 (a call with the same Idempotency-Key
 * that is still running). A call that writes needs an Idempotency-Key to have one effect.
 */
export async function callUntilAnswered(
  apiUrl: string,
  {
    method,
    path,
    body,
    headers = {},
  }: {
    readonly method: 'GET' | 'POST'
    readonly path: string
    readonly body?: unknown
    readonly headers?: Readonly<Record<string, string>>
  },
): Promise<JsonAnswer> {
  for (;;) {
    try {
      const answer = await fetch(apiUrl + path, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      })
      const parsed: unknown = await answer.json()
      if (answer.status < 500 && answer.status !== 409) return { status: answer.status, body: parsed }
    } catch {
      // Calls fail while the service is down.
    }
    await sleep(250)
  }
}
