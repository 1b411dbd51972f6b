/**
 * kill -9 of worker, API, Temporal and Postgres in turn while evaluations, gates and distillations run:
 * `node bench/service/jobs/learn-faults.ts [--evaluations 20] [--gates 10] [--runs 20] [--kills 12] [--seed 1]`. The same
 * jobs run undisturbed first, under another tenant. What must come out: none lost, rows, verdicts and recipes byte-equal
 * to the undisturbed ones, and no answer of the teacher paid for again that had arrived.
 */
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import type { ScriptedAnswer, ScriptedCall } from '../../../test/support/providers/scripted-model.ts'
import { startProvider } from '../../../test/support/providers/server.ts'
import { signUpClient } from '../../harness/client.ts'
import { killInTurn } from '../../harness/kill-in-turn.ts'
import { report, short } from '../../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../../harness/service.ts'
import { labelOfTicket, runLearnJobs, type LearnOutcome } from './learn-jobs.ts'

const { values: options } = parseArgs({
  options: {
    evaluations: { type: 'string', default: '20' },
    gates: { type: 'string', default: '10' },
    runs: { type: 'string', default: '20' },
    kills: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
  },
})
const plan = { evaluations: Number(options.evaluations), gates: Number(options.gates), runs: Number(options.runs) }
const JOBS = plan.evaluations + plan.gates + plan.runs
const KILLS = Number(options.kills)
const LONGEST_MS = 540_000
/** A question that comes again this long after its answer was sent was paid for twice: the answer had been stored by then. */
const STORED_MS = 2000

const asked = new Map<string, number[]>()
const teacher = await startProvider('chat-completions', (call: ScriptedCall): ScriptedAnswer => {
  asked.set(call.raw, [...(asked.get(call.raw) ?? []), performance.now()])
  const label = labelOfTicket(call.messages.at(-1)?.text ?? '')
  return { texts: Array.from({ length: call.n }, () => JSON.stringify({ answer: label })) }
})
const service = await startBenchService({
  limits: {
    ...RAISED_LIMITS,
    running_jobs_free: 40,
    unfinished_evaluations_per_tenant: 100,
    unfinished_gates_per_tenant: 100,
    distill_starts_per_tenant_minute: 1000,
  },
  env: {
    SVC_BASES_DIR: fileURLToPath(new URL('../../../bases', import.meta.url)),
    SVC_EGRESS_PRIVATE: 'true',
    SVC_TEACHER_DIALECT: 'chat-completions',
    SVC_TEACHER_BASE_URL: teacher.baseUrl,
    SVC_TEACHER_API_KEY: teacher.apiKey,
    SVC_TEACHER_MODEL: 'house-teacher',
    SVC_TEACHER_INPUT_USD: '1',
    SVC_TEACHER_OUTPUT_USD: '2',
    SVC_TEACHER_BUDGET_USD: '50',
  },
})
try {
  const undisturbed = await timed('undisturbed')
  asked.clear()
  let isOver = false
  const started = performance.now()
  const killing = killInTurn(service, {
    kills: KILLS,
    seed: Number(options.seed),
    pauseMs: [3000, 9000],
    isOver: () => isOver || performance.now() - started > LONGEST_MS,
  })
  const disturbed = await timed('disturbed')
  isOver = true
  const kills = await killing
  const equal = disturbed.outcomes.filter((one, at) => isEqual(one, undisturbed.outcomes[at]))
  const again = [...asked.values()].filter((times) => (times.at(-1) ?? 0) - (times[0] ?? 0) > STORED_MS)
  await report('learn-faults', [
    { what: 'jobs that ended', value: disturbed.outcomes.length, limit: JOBS },
    { what: 'equal to the undisturbed', value: equal.length, limit: JOBS },
    { what: 'kill -9', value: kills, limit: KILLS },
    { what: 'questions to the teacher', value: asked.size, limit: '' },
    { what: 'asked again at once, in flight when the worker ended', value: repeated() - again.length, limit: '' },
    { what: 'bought again', value: again.length, limit: 0 },
    { what: 'seconds, undisturbed', value: short(undisturbed.seconds), limit: '' },
    { what: 'seconds, disturbed', value: short(disturbed.seconds), limit: '' },
  ])
  process.exitCode = equal.length === JOBS && again.length === 0 ? 0 : 1
} finally {
  await service.stop()
  await teacher.close()
}

async function timed(name: string): Promise<{ readonly outcomes: readonly LearnOutcome[]; readonly seconds: number }> {
  const started = performance.now()
  const client = await signUpClient(service.apiUrl)
  try {
    const outcomes = await runLearnJobs({ apiUrl: service.apiUrl, key: client.key, name }, plan)
    return { outcomes, seconds: (performance.now() - started) / 1000 }
  } finally {
    await client.close()
  }
}

function isEqual(one: LearnOutcome, other: LearnOutcome | undefined): boolean {
  if (one.outcome === other?.outcome) return true
  console.log(`${one.name}: ${one.outcome}, undisturbed: ${other?.outcome}`)
  return false
}

function repeated(): number {
  return [...asked.values()].filter(({ length }) => length > 1).length
}
