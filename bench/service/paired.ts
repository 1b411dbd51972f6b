/**
 * `/v1/run` of this version against another one: `npm run bench -- paired --before FOLDER`, where FOLDER is a checkout of
 * the other version with its dependencies. Both services run at once, and short slices of load alternate between them, so
 * that both meet the same machine. Prints the requests/s of each and their ratio over all pairs. Limit: 0.95 of before.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { signUpClient } from '../harness/client.ts'
import { compileRecipe, runAtFullSpeed } from '../harness/recipe.ts'
import { quantile, report, short } from '../harness/report.ts'
import * as present from '../harness/service.ts'

const CONNECTIONS = 32
const WARM_SECONDS = 4
const SLICE_SECONDS = 3
const LEAST_RATIO = 0.95

const { values } = parseArgs({ options: { before: { type: 'string' }, pairs: { type: 'string', default: '20' } } })
if (values.before === undefined) throw new Error('--before names the folder of the version to compare with')
const pairs = Number(values.pairs)

/** A service under load. */
interface Subject {
  readonly rates: number[]
  slice(seconds: number): Promise<number>
  stop(): Promise<void>
}

async function open({ startBenchService }: typeof present): Promise<Subject> {
  const service = await startBenchService({ limits: present.RAISED_LIMITS })
  const client = await signUpClient(service.apiUrl, 'free', CONNECTIONS)
  const conceptId = await compileRecipe(client)
  let serial = 0
  const bodyOf = () => ({ concept_id: conceptId, input: `Grace Hopper${serial++}`, use_cache: false })
  return {
    rates: [],
    slice: async (seconds) => await runAtFullSpeed(client, { connections: CONNECTIONS, seconds, bodyOf }),
    stop: async () => {
      await client.close()
      await service.stop()
    },
  }
}

const harness = pathToFileURL(join(resolve(values.before), 'bench/harness/service.ts')).href
const subjects: Subject[] = []
try {
  const before = await open(await import(harness))
  subjects.push(before)
  const now = await open(present)
  subjects.push(now)
  for (const subject of subjects) await subject.slice(WARM_SECONDS)
  // What the compiles left to do in the background is over by then.
  await sleep(5000)
  for (let pair = 0; pair < pairs; pair++) {
    const order = pair % 2 === 0 ? [before, now] : [now, before]
    for (const subject of order) subject.rates.push(await subject.slice(SLICE_SECONDS))
  }
  const ratios = now.rates.map((rate, pair) => rate / (before.rates[pair] ?? Number.NaN))
  const ratio = quantile(ratios, 0.5)
  await report('paired', [
    { what: 'requests/s before, median', value: short(quantile(before.rates, 0.5)), limit: '', ratio: '' },
    { what: 'requests/s now, median', value: short(quantile(now.rates, 0.5)), limit: '', ratio: '' },
    {
      what: `ratio, median of ${pairs} pairs`,
      value: short(ratio),
      limit: LEAST_RATIO,
      ratio: short(ratio / LEAST_RATIO),
    },
    { what: 'ratio, lowest pair', value: short(Math.min(...ratios)), limit: '', ratio: '' },
    { what: 'ratio, highest pair', value: short(Math.max(...ratios)), limit: '', ratio: '' },
  ])
  if (ratio < LEAST_RATIO) process.exitCode = 1
} finally {
  for (const subject of subjects) await subject.stop()
}
