/**
 * The gateway against an upstream that answers at once, in one run, in turns with direct calls and, with
 * `--portkey FOLDER` (a folder with `npm install @portkey-ai/gateway`), with Portkey's gateway:
 * `npm run bench -- gateway --portkey FOLDER [--seconds N] [--streams N] [--cpu-prof FOLDER]`. Limits: 1.5 times Portkey's
 * throughput at 16 connections; at 200 requests/s 2 ms more than direct at the median and 10 ms at p99; 2 ms to the first
 * content of a stream; 500 streams at once in 400 MiB.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { signUpClient } from '../harness/client.ts'
import { quantile, report, short } from '../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../harness/service.ts'
import { openSubject, send, startPortkey, startUpstream, streamCall, WHOLE_CALL, type Subject } from './subjects.ts'

const { values } = parseArgs({
  options: {
    portkey: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    streams: { type: 'string', default: '500' },
    'cpu-prof': { type: 'string' },
  },
})
const CONNECTIONS = 16
const RATE = 200
const FIRST_CONTENTS = 300
const STREAM_EVENTS = 100
const STREAM_PAUSE_MS = 100
const MIB = 1024 * 1024
/** Linux counts 100 ticks a second. */
const MS_PER_TICK = 10

type Row = Record<string, string | number>
const rows: Row[] = []
const profile = values['cpu-prof']
const upstream = await startUpstream()
const service = await startBenchService({
  limits: { ...RAISED_LIMITS, gateway_calls_per_tenant: 5000, gateway_connections: 1000, connections_per_ip: 1e6 },
  env: {
    OPENAI_API_KEY: 'sk-bench',
    SVC_UPSTREAM_OPENAI_BASE: upstream.url,
    ...(profile !== undefined && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }),
  },
})
const portkey = values.portkey === undefined ? undefined : await startPortkey(values.portkey)
const client = await signUpClient(service.apiUrl)
const own = { name: 'svc', pid: (await service.processes())['api']?.pid }
const open = (connections: number): readonly Subject[] => [
  openSubject({ name: 'direct', pid: undefined }, upstream.url, connections),
  openSubject(own, service.apiUrl, connections, { 'x-api-key': client.key }),
  ...(portkey === undefined
    ? []
    : [
        openSubject({ name: 'portkey', pid: portkey.pid }, portkey.url, connections, {
          authorization: 'Bearer sk-bench',
          'x-portkey-provider': 'openai',
          'x-portkey-custom-host': `${upstream.url}/v1`,
        }),
      ]),
]
try {
  const subjects = open(CONNECTIONS)
  for (const subject of subjects) await atFullSpeed(subject, 3)
  rows.push(...(await throughput(subjects)), ...(await paced(subjects)))
  rows.push(...(await firstContents(await streaming(subjects))))
  await Promise.all(subjects.map(async ({ pool }) => await pool.close()))
  rows.push(...(await streamsAtOnce(Number(values.streams))))
  await report('gateway', rows)
} finally {
  await client.close()
  await portkey?.stop()
  await service.stop()
  upstream.stop()
}

/**
 * Requests/s of each, the median of slices in turns, with the ratio in each round; and the processor time of a call in the
 * process of each gateway, which a loaded machine leaves comparable.
 */
async function throughput(subjects: readonly Subject[]): Promise<Row[]> {
  const rates = new Map<string, number[]>(subjects.map(({ name }) => [name, []]))
  const work = new Map<string, number[]>(subjects.map(({ name }) => [name, []]))
  const seconds = Number(values.seconds)
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const beforeMs = await processorMs(subject.pid)
      const start = performance.now()
      const rate = await atFullSpeed(subject, seconds)
      const calls = rate * ((performance.now() - start) / 1000)
      rates.get(subject.name)?.push(rate)
      work.get(subject.name)?.push(((await processorMs(subject.pid)) - beforeMs) / calls)
    }
  }
  const ofOwn = rates.get('svc') ?? []
  const speeds = [...rates].map(([name, each]) => ({
    what: `${name}: requests/s at ${CONNECTIONS} connections`,
    value: short(quantile(each, 0.5)),
    limit: name === 'portkey' ? 'svc at least 1.5 of it' : '',
    ratio: name === 'svc' ? '' : short(ratioOf(ofOwn, each)),
  }))
  const works = [...work].map(([name, each]) => ({
    what: `${name}: ms of processor time for a call`,
    value: short(quantile(each, 0.5)),
    limit: '',
    ratio: '',
  }))
  return [...speeds, ...works.filter(({ what }) => !what.startsWith('direct'))]
}

function ratioOf(ours: readonly number[], theirs: readonly number[]): number {
  return quantile(
    ours.map((rate, round) => rate / (theirs[round] ?? Number.NaN)),
    0.5,
  )
}

/** Processor time of a process so far, milliseconds; 0 for none. */
async function processorMs(pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
}

async function atFullSpeed(subject: Subject, seconds: number): Promise<number> {
  const start = performance.now()
  const end = start + seconds * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < end) {
        const { body } = await send(subject, WHOLE_CALL)
        await body.dump()
        done++
      }
    }),
  )
  return done / ((performance.now() - start) / 1000)
}

/** Milliseconds more than a direct call at a fixed rate; each has the rate, and they take turns call by call. */
async function paced(subjects: readonly Subject[]): Promise<Row[]> {
  const latencies = new Map<string, number[]>(subjects.map(({ name }) => [name, []]))
  const calls: Promise<void>[] = []
  const start = performance.now()
  const once = async (subject: Subject, due: number): Promise<void> => {
    const { body } = await send(subject, WHOLE_CALL)
    await body.dump()
    latencies.get(subject.name)?.push(performance.now() - due)
  }
  for (let i = 0; i < RATE * Number(values.seconds) * 3; i++) {
    for (const [at, subject] of subjects.entries()) {
      const due = start + ((i + at / subjects.length) * 1000) / RATE
      const waitMs = due - performance.now()
      if (waitMs > 0) await sleep(waitMs)
      // From when a call was due, so that a stall is not hidden by a stalled sender.
      calls.push(once(subject, due))
    }
  }
  await Promise.all(calls)
  return added(latencies, `ms more than direct at ${RATE}/s`, [
    [0.5, 2],
    [0.99, 10],
  ])
}

/** Those that stream here: Portkey's gateway 1.15 does under Node 20 and not under Node 24. */
async function streaming(subjects: readonly Subject[]): Promise<readonly Subject[]> {
  const can = await Promise.all(
    subjects.map(async (subject) => {
      const isStreamed = await send(subject, streamCall(3, 0)).then(
        async ({ body }) => (await body.text()).includes('[DONE]'),
        () => false,
      )
      if (!isStreamed) console.log(`${subject.name} does not stream here and is left out`)
      return isStreamed
    }),
  )
  return subjects.filter((_subject, at) => can[at])
}

/** Milliseconds more to the first content of a stream, one stream after the other, in turns. */
async function firstContents(subjects: readonly Subject[]): Promise<Row[]> {
  const latencies = new Map<string, number[]>(subjects.map(({ name }) => [name, []]))
  const body = streamCall(3, 2)
  for (let i = 0; i < FIRST_CONTENTS; i++) {
    for (const subject of subjects) {
      const start = performance.now()
      let isFirst = true
      const answer = await send(subject, body)
      for await (const chunk of answer.body) {
        if (isFirst && String(chunk).includes('word0')) {
          isFirst = false
          latencies.get(subject.name)?.push(performance.now() - start)
        }
      }
    }
  }
  return added(latencies, 'ms more than direct to the first content of a stream', [[0.5, 2]])
}

function added(
  latencies: ReadonlyMap<string, readonly number[]>,
  what: string,
  limits: readonly (readonly [q: number, limit: number])[],
): Row[] {
  const direct = latencies.get('direct') ?? []
  return [...latencies]
    .filter(([name]) => name !== 'direct')
    .flatMap(([name, each]) =>
      limits.map(([q, limit]) => {
        const value = quantile(each, q) - quantile(direct, q)
        const ratio = name === 'svc' ? short(value / limit) : ''
        return { what: `${name}: p${q * 100} ${what}`, value: short(value), limit: name === 'svc' ? limit : '', ratio }
      }),
    )
}

/** The memory of the API while streams run at once. */
async function streamsAtOnce(count: number): Promise<Row[]> {
  const subject = openSubject(own, service.apiUrl, count, { 'x-api-key': client.key })
  const before = await residentBytes()
  let most = before
  let isOver = false
  const watch = async (): Promise<void> => {
    while (!isOver) {
      most = Math.max(most, await residentBytes())
      await sleep(100)
    }
  }
  const watching = watch()
  const start = performance.now()
  const body = streamCall(STREAM_EVENTS, STREAM_PAUSE_MS)
  const whole = await Promise.all(
    Array.from({ length: count }, async () => {
      const answer = await send(subject, body)
      return (await answer.body.text()).includes('[DONE]')
    }),
  )
  const seconds = (performance.now() - start) / 1000
  isOver = true
  await watching
  await subject.pool.close()
  return [
    { what: `${count} streams at once: whole ones`, value: whole.filter(Boolean).length, limit: count, ratio: '' },
    { what: 'their time, s', value: short(seconds), limit: (STREAM_EVENTS * STREAM_PAUSE_MS) / 1000, ratio: '' },
    { what: 'MiB of the API before', value: short(before / MIB), limit: '', ratio: '' },
    { what: 'MiB of the API at most', value: short(most / MIB), limit: 400, ratio: short(most / MIB / 400) },
  ]
}

async function residentBytes(): Promise<number> {
  const { api } = await service.processes()
  const status = await readFile(`/proc/${api?.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}
