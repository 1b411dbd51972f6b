import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import type { BenchService } from '../../harness/service.ts'
import type { Attack, AttackFigure } from '../attack.ts'

/** Milliseconds during which calls are made while the API is killed. */
const ATTACK_MS = 22_000
/** Milliseconds within which open calls must be answered afterwards: a claim whose process died is free within 15 s. */
const SETTLE_MS = 22_000
/** Each a tenant of its own, so that the limit of calls per tenant does not slow the attack. */
const CALLERS = 24
const PATH = '/v1/account/api-control-center/events'

const SignedUp = z.object({ api_key: z.string() })

interface Answered {
  readonly key: string
  readonly text: string
}

/**
 * Kills the API with SIGKILL at random moments while callers hand in events under Idempotency-Keys, each until it is
 * answered, and counts how often each key had its effect.
 */
export const idempotencyAttack: Attack = {
  name: 'idempotency',
  async run(service) {
    const callers = await Promise.all(Array.from({ length: CALLERS }, async () => await signUp(service.apiUrl)))
    const until = performance.now() + ATTACK_MS
    const used: string[] = []
    const [kills, answers] = await Promise.all([
      killAgainAndAgain(service, until),
      Promise.all(
        callers.map(async (apiKey) => await callUntil(service.apiUrl, apiKey, { until, used, mark: nextMark() })),
      ),
    ])
    const answered = answers.flat()
    const effects = await countEffects(service.databaseUrl, used)
    const replayed = await Promise.all(
      callers.map(async (apiKey, index) => {
        const last = answers[index]?.at(-1)
        return last === undefined || (await post(service.apiUrl, apiKey, last.key))?.text === last.text
      }),
    )
    return [
      figure('kills of the API', kills, 'at-least', 1),
      figure('keys that were answered', answered.length, 'at-least', CALLERS),
      figure('keys that were not answered in time', used.length - answered.length, 'at-most', 0),
      figure('keys with more than one effect', used.filter((key) => (effects.get(key) ?? 0) > 1).length, 'at-most', 0),
      figure('answered keys without effect', answered.filter(({ key }) => !effects.has(key)).length, 'at-most', 0),
      figure('answers that differ when asked again', replayed.filter((isSame) => !isSame).length, 'at-most', 0),
    ]
  },
}

/** A number in letters. */
function inLetters(n: number): string {
  return String(n).replaceAll(/\d/g, (digit) => String.fromCharCode(97 + Number(digit)))
}

/** A word of letters only: the service takes out of source ids what looks like a secret. */
function nextMark(): string {
  return Array.from({ length: 8 }, () => String.fromCharCode(97 + randomInt(26))).join('')
}

function figure(what: string, value: number, bound: AttackFigure['bound'], limit: number): AttackFigure {
  return { what, value, bound, limit }
}

async function signUp(apiUrl: string): Promise<string> {
  const response = await fetch(`${apiUrl}/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${randomUUID()}@example.test` }),
  })
  return SignedUp.parse(await response.json()).api_key
}

/** Kills whatever process serves, and waits until its successor answers. Returns how many died. */
async function killAgainAndAgain(service: BenchService, until: number): Promise<number> {
  let kills = 0
  while (performance.now() < until) {
    await sleep(randomInt(300, 1500))
    const { api } = await service.processes()
    if (api === undefined) continue
    try {
      process.kill(api.pid, 'SIGKILL')
      kills++
    } catch {
      continue
    }
    while (
      !(await fetch(`${service.apiUrl}/health`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await sleep(50)
  }
  return kills
}

/** Makes calls, each under a new key and again until it is answered. */
async function callUntil(
  apiUrl: string,
  apiKey: string,
  { until, used, mark }: { readonly until: number; readonly used: string[]; readonly mark: string },
): Promise<readonly Answered[]> {
  const answered: Answered[] = []
  while (performance.now() < until) {
    const key = `attack by ${mark} ${inLetters(answered.length)}`
    used.push(key)
    while (performance.now() < until + SETTLE_MS) {
      const answer = await post(apiUrl, apiKey, key)
      if (answer !== undefined && answer.status === 201) {
        answered.push({ key, text: answer.text })
        break
      }
      await sleep(100)
    }
  }
  return answered
}

/** One call; undefined when its process died under it. */
async function post(
  apiUrl: string,
  apiKey: string,
  key: string,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  try {
    const response = await fetch(apiUrl + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey, 'idempotency-key': key },
      body: JSON.stringify({ source_id: key, payload: { note: 'a note' } }),
      signal: AbortSignal.timeout(10_000),
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return undefined
  }
}

async function countEffects(databaseUrl: string, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ key: string; n: string }>(
      `select source_id as key, count(*) as n from control_events where source_id = any($1) group by 1`,
      [keys],
    )
    return new Map(rows.map(({ key, n }) => [key, Number(n)]))
  } finally {
    await client.end()
  }
}
