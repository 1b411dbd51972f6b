import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { answerQuestion } from '../../../db/compile/progress/questions/answer-question.ts'
import { listQuestions } from '../../../db/compile/progress/questions/questions.ts'
import { givenTenant } from '../../support/db/given.ts'
import { missWorker } from '../../support/workflows/miss-worker.ts'
import { submitJob, useService } from '../../support/workflows/service.ts'
import { startWorkerProcess, type WorkerProcess } from '../../workers/worker-process.ts'

const EXAMPLES = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing'].map((input) => ({
  input,
  output: input.split(' ')[1] ?? '',
}))
const UNLABELLED = ['Donald Ervin Knuth', 'Barbara Liskov', 'Edsger Wybe Dijkstra']

describe('a worker that is killed while a question is open', () => {
  const service = useService({ withWorkers: false })
  const started: WorkerProcess[] = []
  after(async () => {
    for (const worker of started) if (worker.child.exitCode === null) await worker.end('SIGKILL')
  })

  function startWorker(): WorkerProcess {
    const worker = startWorkerProcess({
      DATABASE_URL: service.database.url,
      TEMPORAL_ADDRESS: service.temporalAddress,
      TEMPORAL_NAMESPACE: service.temporal.namespace,
      SVC_MASTER_KEY: service.database.masterKey.toString('hex'),
      SVC_COMPUTE_THREADS: '1',
    })
    started.push(worker)
    return worker
  }

  it('loses neither the question nor an answer that comes while no worker runs', async function () {
    // Two processes have to start.
    this.timeout(180_000)
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, {
      examples: EXAMPLES,
      unlabelled: UNLABELLED,
      task: 'Write the family name',
      floor: 0,
      choices: { questions: { max: 1, wait: 600 } },
    })
    const first = startWorker()
    await first.ready
    await service.deps.workflows.start(job.id)
    while ((await listQuestions(op, job.id)).length === 0) await sleep(50)
    await first.end('SIGKILL')
    await missWorker(service.temporal, job.id)
    const [open] = await listQuestions(op, job.id)
    if (open === undefined || typeof open.input !== 'string') throw new Error('no question')
    expect(open.state).to.equal('open')
    const output = open.input.split(' ').at(-1) ?? ''
    await answerQuestion(op, {
      jobId: job.id,
      number: 1,
      answer: { state: 'answered', output },
      wake: () => service.deps.workflows.changedSoon(job.id),
    })

    const second = startWorker()
    await second.ready
    const outcome: unknown = await service.temporal.client.workflow.getHandle(job.id).result()
    expect(outcome).to.have.property('status', 'ready')
    const [answered, ...others] = await listQuestions(op, job.id)
    expect(others).to.deep.equal([])
    expect(answered).to.deep.include({ input: open.input, state: 'answered', given: { output } })
    expect(await findJob(op, job.id)).to.include({ status: 'ready' })
  })
})
