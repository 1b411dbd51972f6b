/**
 * Compiles through the API: one after another, and 16 in flight, over the text tasks of this folder with 4 rows each and
 * a floor of 0. `--seconds` is the length of the second part. Limits: alone p50 150 ms, 16 in flight 8 a second. Beside
 * them: the processor time of a compile in each process, which does not depend on what else the machine does.
 */
import { parseArgs } from 'node:util'
import { signUpClient } from '../../harness/client.ts'
import { processorTimes, timesBetween } from '../../harness/processor-time.ts'
import { quantile, report, short } from '../../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../../harness/service.ts'
import { everydayTexts } from '../../tasks/everyday/text.ts'
import { casingTasks, cleaningTasks, maskingTasks } from '../../tasks/text.ts'

const { values: options } = parseArgs({
  options: { alone: { type: 'string', default: '40' }, seconds: { type: 'string', default: '15' } },
})
const SHOWN = 4
const IN_FLIGHT = 16
const WARM_UP = 6
const TASKS = [...everydayTexts, ...casingTasks, ...cleaningTasks, ...maskingTasks]

const service = await startBenchService({ limits: { ...RAISED_LIMITS, running_jobs_free: 1e6 } })
const client = await signUpClient(service.apiUrl)
let sent = 0
try {
  for (let i = 0; i < WARM_UP; i++) await compileNext()
  const aloneMs: number[] = []
  const begun = await processorTimes(service)
  for (let i = 0; i < Number(options.alone); i++) {
    const started = performance.now()
    await compileNext()
    aloneMs.push(performance.now() - started)
  }
  const between = await processorTimes(service)
  const { rate, done } = await compileAtOnce(Number(options.seconds) * 1000)
  const ended = await processorTimes(service)
  const p50 = quantile(aloneMs, 0.5)
  await report('compiles', [
    { what: 'alone, p50 ms', value: short(p50), limit: 150, ratio: short(p50 / 150) },
    { what: 'alone, p95 ms', value: short(quantile(aloneMs, 0.95)), limit: '', ratio: '' },
    { what: `${IN_FLIGHT} in flight, compiles/s`, value: short(rate), limit: 8, ratio: short(rate / 8) },
    ...costs('alone', timesBetween(begun, between), aloneMs.length),
    ...costs(`${IN_FLIGHT} in flight`, timesBetween(between, ended), done),
  ])
} finally {
  await client.close()
  await service.stop()
}

/** Compiles the next task and waits for its end. */
async function compileNext(): Promise<void> {
  const number = sent++
  const task = TASKS[number % TASKS.length]
  const answer = await client.call('POST', '/v1/compile', {
    task: `${task?.name} ${number}`,
    examples: task?.examples.slice(0, SHOWN),
    k_score_floor: 0,
  })
  if (answer.status !== 200) throw new Error(`compile answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}

/** Returns the processor time of one compile in each process and in all of them. */
function costs(what: string, times: Readonly<Record<string, number>>, compiles: number) {
  const sum = Object.values(times).reduce((total, ms) => total + ms, 0)
  return Object.entries({ ...times, all: sum }).map(([name, ms]) => {
    return { what: `${what}, processor ms of ${name}`, value: short(ms / compiles), limit: '', ratio: '' }
  })
}

/** Keeps `IN_FLIGHT` compiles under way for a time. Returns compiles/s, and how many ended. */
async function compileAtOnce(ms: number): Promise<{ readonly rate: number; readonly done: number }> {
  const started = performance.now()
  let done = 0
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (performance.now() - started < ms) {
        await compileNext()
        done++
      }
    }),
  )
  return { rate: done / ((performance.now() - started) / 1000), done }
}
