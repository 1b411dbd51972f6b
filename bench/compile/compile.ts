/**
 * Programming by example through the API: each task of a file (`--data FILE`: `[{id, examples: [{input, output}]}]`)
 * is compiled on its first 4 examples with a floor of 0, and solved when the recipe is right on all the others.
 * Limits: 90 % of the tasks with more than 4 examples solved, compile p50 1.5 s, p95 6 s.
 */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { canonicalJson, type Json } from '../../core/kernel/json/json.ts'
import { signUpClient } from '../harness/client.ts'
import { quantile, report, short } from '../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../harness/service.ts'

const { values: options } = parseArgs({
  options: { data: { type: 'string' }, shown: { type: 'string', default: '4' } },
})
if (options.data === undefined) throw new Error('usage: node bench/compile/compile.ts --data FILE [--shown 4]')
const SHOWN = Number(options.shown)

const Tasks = z.array(z.object({ id: z.string(), examples: z.array(z.object({ input: z.json(), output: z.json() })) }))
const Job = z.object({ status: z.string(), concept_id: z.string().nullish() })
const Ran = z.object({ output: z.json() })

const tasks = Tasks.parse(JSON.parse(await readFile(options.data, 'utf8')))
const service = await startBenchService({ limits: RAISED_LIMITS })
const client = await signUpClient(service.apiUrl)
try {
  const compileMs: number[] = []
  const unsolved: string[] = []
  let counted = 0
  for (const task of tasks) {
    const started = performance.now()
    const answer = await client.call('POST', '/v1/compile', {
      task: `Task ${task.id}`,
      examples: task.examples.slice(0, SHOWN),
      k_score_floor: 0,
    })
    compileMs.push(performance.now() - started)
    if (task.examples.length <= SHOWN) continue
    counted++
    const job = Job.safeParse(answer.body)
    const conceptId = job.data?.concept_id
    const isSolved = typeof conceptId === 'string' && (await runsRight(conceptId, task.examples.slice(SHOWN)))
    if (!isSolved) unsolved.push(task.id)
  }
  const share = (counted - unsolved.length) / counted
  await report('compile', [
    { what: 'tasks solved from the first examples, share', value: short(share), limit: 0.9, ratio: short(share / 0.9) },
    {
      what: 'compile p50 s',
      value: short(quantile(compileMs, 0.5) / 1000),
      limit: 1.5,
      ratio: short(quantile(compileMs, 0.5) / 1500),
    },
    {
      what: 'compile p95 s',
      value: short(quantile(compileMs, 0.95) / 1000),
      limit: 6,
      ratio: short(quantile(compileMs, 0.95) / 6000),
    },
  ])
  console.log(`unsolved: ${unsolved.join(', ') || 'none'}`)
} finally {
  await client.close()
  await service.stop()
}

async function runsRight(conceptId: string, rows: readonly { input: Json; output: Json }[]): Promise<boolean> {
  for (const { input, output } of rows) {
    const answer = await client.call('POST', '/v1/run', { concept_id: conceptId, input })
    const ran = Ran.safeParse(answer.body)
    if (!ran.success || canonicalJson(ran.data.output) !== canonicalJson(output)) return false
  }
  return true
}
