/**
 * A long queue: 10,000 compiles accepted while the tenant may run none of them, so that they wait. What the API and
 * the worker hold in memory, and what listing costs, with the queue empty and full. Limit: listing under 50 ms.
 */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { ProcessIdentity } from '../../../stack/process/process-identity.ts'
import { signUpClient } from '../../harness/client.ts'
import { quantile, report, short } from '../../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../../harness/service.ts'

const { values: options } = parseArgs({ options: { jobs: { type: 'string', default: '10000' } } })
const JOBS = Number(options.jobs)
const SENDERS = 8

const service = await startBenchService({ limits: { ...RAISED_LIMITS, running_jobs_free: 0 } })
const client = await signUpClient(service.apiUrl)
try {
  const before = await residentMb(await service.processes())
  const started = performance.now()
  let sent = 0
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      while (sent < JOBS) {
        sent++
        const answer = await client.call('POST', '/v1/compile', {
          task: `Initials, job ${sent}`,
          examples: [
            { input: `Ada Lovelace ${sent}`, output: 'A' },
            { input: `Grace Hopper ${sent}`, output: 'G' },
            { input: `Alan Turing ${sent}`, output: 'A' },
          ],
          k_score_floor: 0,
          mode: 'async',
        })
        if (answer.status !== 202) throw new Error(`compile answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const listingMs: number[] = []
  for (let i = 0; i < 100; i++) {
    const asked = performance.now()
    const answer = await client.call('GET', '/v1/compile?limit=50')
    if (answer.status !== 200) throw new Error(`listing answered ${answer.status}`)
    listingMs.push(performance.now() - asked)
  }
  const after = await residentMb(await service.processes())
  await report('queue', [
    { what: `accepted per second (${JOBS} compiles)`, value: short(JOBS / seconds), limit: '', ratio: '' },
    {
      what: 'listing p99 ms',
      value: short(quantile(listingMs, 0.99)),
      limit: 50,
      ratio: short(quantile(listingMs, 0.99) / 50),
    },
    ...['api', 'worker'].map((name) => ({
      what: `${name} resident MB, before and after`,
      value: short(after[name] ?? Number.NaN),
      limit: short(before[name] ?? Number.NaN),
      ratio: short((after[name] ?? Number.NaN) / (before[name] ?? Number.NaN)),
    })),
  ])
} finally {
  await client.close()
  await service.stop()
}

async function residentMb(
  processes: Readonly<Record<string, ProcessIdentity | undefined>>,
): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {}
  for (const [name, identity] of Object.entries(processes)) {
    if (identity === undefined) continue
    const status = await readFile(`/proc/${identity.pid}/status`, 'utf8')
    sizes[name] = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
  }
  return sizes
}
