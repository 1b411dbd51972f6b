import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { findRound } from '../../../db/compile/progress/teacher-samples/rounds.ts'
import { listSamples } from '../../../db/compile/progress/teacher-samples/samples.ts'
import { givenTenant } from '../../support/db/given.ts'
import { answering, type ScriptedAnswer } from '../../support/providers/scripted-model.ts'
import { startProvider, type ProviderServer } from '../../support/providers/server.ts'
import { missWorker } from '../../support/workflows/miss-worker.ts'
import { nameExamples, submitJob, useService } from '../../support/workflows/service.ts'
import { startWorkerProcess, type WorkerProcess } from '../../workers/worker-process.ts'

const INPUTS = 20
const SAMPLES = 3
const ALL = INPUTS * SAMPLES
const KILLED_AT = 40
const CONCURRENCY = 4

describe('a worker that is killed while it asks a teacher', () => {
  const service = useService({ withWorkers: false })
  const started: WorkerProcess[] = []
  let server: ProviderServer
  let answered = 0
  let isHolding = true

  before(async () => {
    server = await startProvider('messages', (): ScriptedAnswer => {
      if (isHolding && answered >= KILLED_AT) return { fault: 'hang' }
      answered++
      return answering({ answer: 'Lovelace, Ada' })
    })
  })
  after(async () => {
    for (const worker of started) if (worker.child.exitCode === null) await worker.end('SIGKILL')
    await server.close()
  })

  function startWorker(): WorkerProcess {
    const worker = startWorkerProcess({
      DATABASE_URL: service.database.url,
      TEMPORAL_ADDRESS: service.temporalAddress,
      TEMPORAL_NAMESPACE: service.temporal.namespace,
      SVC_MASTER_KEY: service.database.masterKey.toString('hex'),
      SVC_COMPUTE_THREADS: '1',
      SVC_TEACHER_DIALECT: 'messages',
      SVC_TEACHER_BASE_URL: server.baseUrl,
      SVC_TEACHER_API_KEY: server.apiKey,
      SVC_TEACHER_MODEL: 'test-model',
      SVC_TEACHER_INPUT_USD: '1',
      SVC_TEACHER_OUTPUT_USD: '2',
      SVC_TEACHER_BUDGET_USD: '50',
      SVC_TEACHER_LABEL_SAMPLES: String(SAMPLES),
      SVC_TEACHER_CONCURRENCY: String(CONCURRENCY),
    })
    started.push(worker)
    return worker
  }

  it(`buys ${ALL - KILLED_AT} more samples after ${KILLED_AT} of ${ALL}`, async function () {
    // Two processes have to start.
    this.timeout(180_000)
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, {
      examples: nameExamples(),
      unlabelled: Array.from({ length: INPUTS }, (_, i) => `Person${i} Number${i}`),
    })
    const first = startWorker()
    await first.ready
    await service.deps.workflows.start(job.id)
    const recorded = async () => (await listSamples(op, job.id)).length
    while ((await recorded()) < KILLED_AT || server.calls.length < KILLED_AT + CONCURRENCY) await sleep(50)
    await first.end('SIGKILL')
    await missWorker(service.temporal, job.id)
    expect([answered, await recorded()]).to.deep.equal([KILLED_AT, KILLED_AT])

    isHolding = false
    const second = startWorker()
    await second.ready
    const outcome: unknown = await service.temporal.client.workflow.getHandle(job.id).result()
    expect(outcome).to.have.property('status', 'ready')
    expect([answered, await recorded()]).to.deep.equal([ALL, ALL])
    // Only the calls that were under way when the worker died are asked again.
    expect(server.calls).to.have.length(ALL + CONCURRENCY)
    const samples = await listSamples(op, job.id)
    expect(new Set(samples.map(({ question, ordinal }) => `${question} ${ordinal}`)).size).to.equal(ALL)

    // The cost of the calls in progress stays reserved: whether they were billed is unknown.
    const round = await findRound(op, job.id)
    const spent = samples.reduce((sum, { costUsdMicros }) => sum + costUsdMicros, 0)
    expect(round?.spentUsdMicros).to.equal(spent)
    expect(round?.reservedUsdMicros).to.be.greaterThan(0)
    expect((await findJob(op, job.id)).costUsdMicros).to.equal(spent)
    for (const worker of [first, second]) expect(worker.output()).to.not.include(server.apiKey)
    expect(await second.end('SIGTERM')).to.deep.equal({ code: 0, signal: null })
  })
})
