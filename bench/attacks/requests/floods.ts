import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { ROUTES } from '../../../api/routes.ts'
import { ANONYMOUS_SCOPES } from '../../../core/accounts/roles.ts'
import { signUpClient } from '../../harness/client.ts'
import { quantile } from '../../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../../harness/service.ts'
import type { Attack, AttackFigure } from '../attack.ts'
import { forms, inlineCompiles, jsonBodies, previews, runs, uploads, type HostileBody } from './floods/bodies.ts'
import { sendUntil, type FloodRequest } from './floods/sender.ts'

const CONNECTIONS = 20
const SECONDS_PER_CLASS = 10
/** First runs load the recipe and compile code: they are slow without any flood. */
const WARM_UP_MS = 3000
const MEMORY_EVERY_MS = 200
const MOST_MB = 1000
const MOST_MS = 100

const Figures = z.object({ latenciesMs: z.array(z.number()), failures: z.int() })
const Bootstrap = z.looseObject({ anon_token: z.string() })
const Job = z.object({ concept_id: z.string() })

/** Returns an address for a request of a flood: each has another one, so that no limit per address applies. */
const anyAddress = () => Array.from({ length: 4 }, () => 1 + Math.floor(Math.random() * 250)).join('.')

/**
 * Floods: twenty connections send for some seconds to public routes, and with anonymous keys: meanwhile `/v1/run` of another
 * tenant stays quick, and the process small.
 */
export const FLOODS: Attack = {
  name: 'floods',
  async run() {
    const limits = { ...RAISED_LIMITS, quota_anonymous: 1e9 }
    const service = await startBenchService({ limits, env: { SVC_TRUSTED_PROXY_HOPS: '1' } })
    const client = await signUpClient(service.apiUrl)
    try {
      const keys = await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => await anonymousKey(service.apiUrl)),
      )
      const conceptId = await compileRecipe(client)
      const pid = (await service.processes())['api']?.pid
      if (pid === undefined) throw new Error('there is no API process')
      const victim = new Worker(new URL('floods/victim.ts', import.meta.url), {
        workerData: { apiUrl: service.apiUrl, key: client.key, conceptId },
      })
      const figures: AttackFigure[] = []
      let mostMb = 0
      const memory = setInterval(() => (mostMb = Math.max(mostMb, residentMb(pid))), MEMORY_EVERY_MS)
      await sleep(WARM_UP_MS)
      for (const [name, requestsOf] of Object.entries(floodClasses())) {
        await ask(victim, 'figures')
        const endsAt = performance.now() + SECONDS_PER_CLASS * 1000
        const answered = await Promise.all(
          keys.map(async (key, i) => await sendUntil(service.apiUrl, rotated(requestsOf(key), i), endsAt)),
        )
        const { latenciesMs, failures } = await ask(victim, 'figures')
        const sum = answered.reduce((total, count) => total + count, 0)
        figures.push(
          { what: `${name}: p99 of /v1/run, ms`, value: quantile(latenciesMs, 0.99), limit: MOST_MS, bound: 'at-most' },
          { what: `${name}: failed runs`, value: failures, limit: 0, bound: 'at-most' },
          { what: `${name}: answers a second`, value: sum / SECONDS_PER_CLASS, limit: 0, bound: 'at-least' },
        )
        console.log(`  ${name}: p50 ${quantile(latenciesMs, 0.5).toFixed(1)} ms, ${residentMb(pid).toFixed(0)} MB`)
      }
      clearInterval(memory)
      await ask(victim, 'end')
      await once(victim, 'exit')
      return [...figures, { what: 'resident memory of the API, MB', value: mostMb, limit: MOST_MB, bound: 'at-most' }]
    } finally {
      await client.close()
      await service.stop()
    }
  },
}

const open = ROUTES.filter(({ auth }) => auth === 'public' || auth === 'optional')
const posts = open.filter(({ method }) => method !== 'get')
/** Scopes of the routes that an anonymous key may post; the classes by name send these routes what they take. */
const anonymousScopes = new Set<string | undefined>(ANONYMOUS_SCOPES)
const anonymousPosts = ROUTES.filter(({ auth, method, scope }) => {
  return auth === 'key' && method === 'post' && anonymousScopes.has(scope)
})

/** The requests of each class, for one anonymous key. Bodies are made once. */
function floodClasses(): Readonly<Record<string, (key: string) => readonly FloodRequest[]>> {
  const [small, large] = [jsonBodies(64 * 1024), jsonBodies(1024 * 1024)]
  const [formBodies, previewBodies, runBodies] = [forms(), previews(), runs()]
  const [compileBodies, uploadBodies] = [inlineCompiles(), uploads()]
  return {
    'public gets': () => {
      const long = 'x'.repeat(5000)
      const queries = ['', `?${'a=1&'.repeat(1500)}`, `?q=${'%25'.repeat(1500)}`]
      const headers = [
        '',
        `Cookie: ${'a=b; '.repeat(1500)}\r\n`,
        `If-None-Match: ${'"a", '.repeat(1500)}\r\nAccept: ${long}\r\n`,
      ]
      return open
        .filter(({ method }) => method === 'get')
        .flatMap((route) =>
          [0, 1, 2].map((i) => requestOf('GET', route.path.replaceAll(/\{\w+\}/g, 'x') + queries[i], headers[i])),
        )
    },
    'public JSON, 64 KB': () => posts.flatMap(({ path }) => bodiesAt(path, small)),
    'public JSON, 1 MB': () => posts.flatMap(({ path }) => bodiesAt(path, large)),
    'forms and XML': () => bodiesAt('/v1/account/saml/acs', formBodies),
    previews: () => ['/v1/build/preview', '/v1/builder/preview'].flatMap((path) => bodiesAt(path, previewBodies)),
    'anonymous runs': (key) =>
      ['/v1/run', '/v1/compile/estimate', '/v1/compile/preview'].flatMap((path) => bodiesAt(path, runBodies, key)),
    'anonymous JSON, 64 KB': (key) => anonymousPosts.flatMap(({ path }) => bodiesAt(path, small, key)),
    'anonymous compiles': (key) =>
      ['/v1/compile', '/v1/compile/start'].flatMap((path) => bodiesAt(path, compileBodies, key)),
    'anonymous uploads': (key) => bodiesAt('/v1/compile', uploadBodies, key),
  }
}

function bodiesAt(path: string, bodies: readonly HostileBody[], key?: string): readonly FloodRequest[] {
  const target = path.replaceAll(/\{\w+\}/g, 'x')
  const credential = key === undefined ? '' : `X-API-Key: ${key}\r\n`
  return bodies.map((body) => requestOf('POST', target, `${credential}Content-Type: ${body.type}\r\n`, body.bytes))
}

function requestOf(method: string, target: string, headers = '', body: Buffer = Buffer.alloc(0)): FloodRequest {
  const length = method === 'GET' ? '' : `Content-Length: ${body.length}\r\n`
  return {
    head: () =>
      `${method} ${target} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${anyAddress()}\r\n${headers}${length}\r\n`,
    body,
  }
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = Math.floor((items.length * by) / CONNECTIONS)
  return [...items.slice(start), ...items.slice(0, start)]
}

async function ask(victim: Worker, message: 'figures' | 'end') {
  const answer = once(victim, 'message')
  victim.postMessage(message)
  const [figures]: readonly unknown[] = await answer
  return Figures.parse(figures)
}

async function anonymousKey(apiUrl: string): Promise<string> {
  const headers = { 'x-forwarded-for': anyAddress(), 'content-type': 'application/json' }
  const answer = await fetch(`${apiUrl}/v1/anon/bootstrap`, { method: 'POST', headers, body: '{}' })
  return Bootstrap.parse(await answer.json()).anon_token
}

async function compileRecipe(client: Awaited<ReturnType<typeof signUpClient>>): Promise<string> {
  const people = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Edsger Dijkstra', 'Barbara Liskov', 'Donald Knuth']
  const examples = people.map((input) => {
    const [first = '', last = ''] = input.split(' ')
    return { input, output: `${last}, ${first.charAt(0)}.` }
  })
  const answer = await client.call('POST', '/v1/compile', { task: 'Last name, initial', examples, k_score_floor: 0 })
  return Job.parse(answer.body).concept_id
}

/** Resident memory of a process, from `/proc`; 0 where there is none. */
function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
