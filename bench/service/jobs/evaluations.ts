/**
 * Evaluations of a program through the API: `node bench/service/jobs/evaluations.ts [--rows N] [--rounds N]`. Each round sends
 * so many rows to `POST /v1/evals`; rows a second are counted from the first outcome that is stored to the last. Beside
 * them: rows a second from the call until the evaluation has its figures; the processor time of a row in each process, which
 * does not depend on what else the machine does; and the time from the first outcome until the figures. Limit: 5,000 rows a
 * second.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { openDatabase } from '../../../db/kernel/database.ts'
import { sendSql } from '../../../test/support/db/send-sql.ts'
import { signUpClient } from '../../harness/client.ts'
import { processorTimes, timesBetween } from '../../harness/processor-time.ts'
import { quantile, report, short } from '../../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../../harness/service.ts'

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '3' } },
})
const [ROWS, ROUNDS] = [Number(options.rows), Number(options.rounds)]
const LIMIT = 5000
const LOOK_MS = 200
const TASK = `task: upper
test_split: test
output_type: generate_until
doc_to_text: input
doc_to_target: output
`
const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heath', 'inlet', 'knoll'] as const
const text = (at: number): string => `${WORDS[at % 10] ?? ''} ${WORDS[Math.floor(at / 10) % 10] ?? ''} ${at}`

const Compiled = z.object({ job_id: z.string() })
const Evaluation = z.object({ evaluation_id: z.string(), state: z.string() })

const service = await startBenchService({ limits: { ...RAISED_LIMITS, evaluation_rows: ROWS } })
const client = await signUpClient(service.apiUrl)
const db = await openDatabase({ url: service.databaseUrl, poolSize: 1, masterKey: service.masterKey })
try {
  const artifact = await compileProgram()
  await evaluate(artifact, Math.min(ROWS, 1000))
  const rates: number[] = []
  const wholeMs: number[] = []
  const callRates: number[] = []
  const before = await processorTimes(service)
  for (let round = 0; round < ROUNDS; round++) {
    const { storedMs, endedMs, calledMs } = await evaluate(artifact, ROWS)
    callRates.push(ROWS / (calledMs / 1000))
    rates.push(ROWS / (storedMs / 1000))
    wholeMs.push(endedMs)
  }
  const times = timesBetween(before, await processorTimes(service))
  const rate = quantile(rates, 0.5)
  const all = Object.values(times).reduce((sum, ms) => sum + ms, 0)
  await report('evaluations', [
    {
      what: `rows scored and stored a second, p50 of ${ROUNDS}`,
      value: short(rate),
      limit: LIMIT,
      ratio: short(rate / LIMIT),
    },
    {
      what: 'rows a second from the call until the figures, p50',
      value: short(quantile(callRates, 0.5)),
      limit: LIMIT,
      ratio: short(quantile(callRates, 0.5) / LIMIT),
    },
    { what: 'until its figures, p50 s', value: short(quantile(wholeMs, 0.5) / 1000), limit: '', ratio: '' },
    ...Object.entries({ ...times, all }).map(([name, ms]) => {
      return {
        what: `processor µs of ${name} for a row`,
        value: short((1000 * ms) / (ROUNDS * ROWS)),
        limit: '',
        ratio: '',
      }
    }),
  ])
} finally {
  await db.close()
  await client.close()
  await service.stop()
}

/** Compiles a program that writes a text in upper case. */
async function compileProgram(): Promise<string> {
  const examples = Array.from({ length: 12 }, (_, at) => ({ input: text(7 * at), output: text(7 * at).toUpperCase() }))
  const answer = await client.call('POST', '/v1/compile', { task: 'upper case', examples, k_score_floor: 0.3 })
  return Compiled.parse(answer.body).job_id
}

/** Evaluates the program on rows of which each fifth is wrong. */
async function evaluate(
  artifact: string,
  rows: number,
): Promise<{ readonly storedMs: number; readonly endedMs: number; readonly calledMs: number }> {
  const test = Array.from({ length: rows }, (_, at) => {
    return { input: text(at), output: at % 5 === 0 ? text(at) : text(at).toUpperCase() }
  })
  const calledAt = Date.now()
  const answer = await client.call('POST', '/v1/evals', {
    name: `${rows} rows`,
    target: { artifact_id: artifact },
    task: TASK,
    data: { test },
  })
  if (answer.status >= 400)
    throw new Error(`the evaluation was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  const { evaluation_id: id } = Evaluation.parse(answer.body)
  for (;;) {
    const { state } = Evaluation.parse((await client.call('GET', `/v1/evals/${id}`)).body)
    if (state === 'failed') throw new Error('the evaluation failed')
    if (state === 'succeeded') break
    await sleep(LOOK_MS)
  }
  const [times] = await sendSql<{ scored: number; stored: number; ended: number; ended_at: Date }>(
    db,
    `select count(r.scored_at)::integer as scored,
       (extract(epoch from max(r.scored_at) - min(r.scored_at)) * 1000)::float8 as stored,
       (extract(epoch from e.finished_at - min(r.scored_at)) * 1000)::float8 as ended, e.finished_at as ended_at
     from evaluations e join evaluation_rows r on r.evaluation_id = e.id where e.id = $1 group by e.id`,
    [id],
  )
  if (times?.scored !== rows) throw new Error(`${times?.scored} of ${rows} rows are scored`)
  return { storedMs: times.stored, endedMs: times.ended, calledMs: new Date(times.ended_at).getTime() - calledAt }
}
