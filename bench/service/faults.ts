/**
 * kill -9 of worker, API, Temporal and Postgres in turn, at random points of 50 concurrent compiles. What must come
 * out: every job in its right final state, each signed once, each event log whole, each archive valid.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { verifyArchive } from '../../core/compile/archive/verify.ts'
import { JwkSet } from '../../core/ledger/keys/jwk.ts'
import { sha256 } from '../../core/kernel/json/json.ts'
import { signUpClient } from '../harness/client.ts'
import { readStream } from '../harness/event-stream.ts'
import { callUntilAnswered, killInTurn } from '../harness/kill-in-turn.ts'
import { report, short } from '../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../harness/service.ts'

const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '50' },
    kills: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
  },
})
const JOBS = Number(options.jobs)
const KILLS = Number(options.kills)
const LONGEST_MS = 420_000

const Accepted = z.object({ job_id: z.string() })
const Detail = z.object({
  status: z.string(),
  stage: z.string(),
  concept_id: z.string().nullish(),
  archive_hash: z.string().optional(),
})
const Concept = z.object({ versions: z.array(z.unknown()) })

const service = await startBenchService({ limits: { ...RAISED_LIMITS, running_jobs_free: 8 } })
const client = await signUpClient(service.apiUrl)
try {
  const started = performance.now()
  const jobs = await Promise.all(Array.from({ length: JOBS }, async (_, index) => await submit(index)))
  const kills = await killInTurn(service, {
    kills: KILLS,
    seed: Number(options.seed),
    pauseMs: [500, 4500],
    isOver: () => performance.now() - started > LONGEST_MS,
  })
  while ((await countFinal()) < JOBS && performance.now() - started < LONGEST_MS) await sleep(500)
  const seconds = (performance.now() - started) / 1000

  const { keys } = JwkSet.parse((await client.call('GET', '/.well-known/jwks.json')).body)
  const verdicts = { completed: 0, other: 0, wholeLogs: 0, signedOnce: 0, validArchives: 0 }
  for (const job of new Set(jobs)) {
    const detail = Detail.parse((await persist('GET', `/v1/compile/${job}`)).body)
    if (detail.status !== 'completed') {
      verdicts.other++
      console.log(`${job} is ${detail.status} at ${detail.stage}`)
      continue
    }
    verdicts.completed++
    const events = await readStream(service.apiUrl, client.key, job)
    const isWhole = events.every(({ seq }, index) => seq === index + 1)
    const ends = events.filter(({ kind }) => ['done', 'gated', 'error'].includes(kind)).length
    const starts = events.filter(({ kind }) => kind === 'step.start').length
    if (isWhole && ends === 1) verdicts.wholeLogs++
    else console.log(`${job}: ${events.length} events, ${starts} starts, ${ends} ends, contiguous: ${isWhole}`)
    const answer = await fetch(`${service.apiUrl}/v1/compile/${job}/.svc`, { headers: { 'x-api-key': client.key } })
    const archive = new Uint8Array(await answer.arrayBuffer())
    // The stage's own record of what it signed, against what is published and served.
    const recorded = events.filter(({ body }) => body['code'] === 'sealed').map(({ body }) => body['archive'])
    const concept = Concept.parse((await client.call('GET', `/v1/concepts/${detail.concept_id}`)).body)
    const isSignedOnce =
      concept.versions.length === 1 &&
      recorded.length === 1 &&
      recorded[0] === detail.archive_hash &&
      recorded[0] === sha256(archive)
    if (isSignedOnce) verdicts.signedOnce++
    else
      console.log(`${job}: sealed ${recorded.join(', ')}, published ${detail.archive_hash}, served ${sha256(archive)}`)
    const verified = await verifyArchive(archive, { trustedKeys: keys })
    if (verified.ok) verdicts.validArchives++
    else console.log(`${job}: ${verified.reason}`)
  }
  await report('faults', [
    { what: 'jobs', value: new Set(jobs).size, limit: JOBS },
    { what: 'kill -9', value: kills, limit: KILLS },
    { what: 'completed', value: verdicts.completed, limit: JOBS },
    { what: 'event logs whole', value: verdicts.wholeLogs, limit: JOBS },
    { what: 'signed once', value: verdicts.signedOnce, limit: JOBS },
    { what: 'archives valid', value: verdicts.validArchives, limit: JOBS },
    { what: 'seconds', value: short(seconds), limit: '' },
  ])
  process.exitCode = Object.values(verdicts).filter((n) => n === JOBS).length === 4 ? 0 : 1
} finally {
  await client.close()
  await service.stop()
}

/** Sends a compile until it is accepted: the key makes the repetition harmless. */
async function submit(index: number): Promise<string> {
  const people = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Edsger Dijkstra', 'Barbara Liskov', 'Donald Knuth']
  const body = {
    task: `Initials with a number, ${index}`,
    examples: people.map((input) => ({ input: `${input} ${index}`, output: `${input.charAt(0)}.${index}` })),
    k_score_floor: 0,
    mode: 'async',
  }
  const answer = await persist('POST', '/v1/compile', body, { 'idempotency-key': `fault-${index}` })
  return Accepted.parse(answer.body).job_id
}

async function persist(method: 'GET' | 'POST', path: string, body?: unknown, headers: Record<string, string> = {}) {
  return await callUntilAnswered(service.apiUrl, {
    method,
    path,
    body,
    headers: { 'x-api-key': client.key, ...headers },
  })
}

async function countFinal(): Promise<number> {
  const Page = z.object({ jobs: z.array(z.object({ status: z.string() })) })
  const { jobs: rows } = Page.parse((await persist('GET', `/v1/compile?limit=${Math.min(200, JOBS)}`)).body)
  return rows.filter(({ status }) => !['queued', 'running'].includes(status)).length
}
