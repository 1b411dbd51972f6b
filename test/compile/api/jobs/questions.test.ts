import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { listAudit } from '../../../../db/ledger/audit/list-audit.ts'
import { systemOperation } from '../../../../db/kernel/operation.ts'
import { call, givenApiTenant, useApi, type Answer, type ApiTenant } from '../../../support/api.ts'
import { recordHistory } from '../../../support/workflows/histories.ts'
import { useService } from '../../../support/workflows/service.ts'

/** The last word, or the second one: only names of three words tell. */
const EXAMPLES = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing'].map((input) => ({
  input,
  output: input.split(' ')[1],
}))
const UNLABELLED = ['Donald Ervin Knuth', 'Barbara Liskov', 'Edsger Wybe Dijkstra']

describe('questions of a compile', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })

  async function compile(body: object = {}): Promise<Answer> {
    return await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: {
        task: 'Write the family name',
        examples: EXAMPLES,
        unlabelled_inputs: UNLABELLED,
        k_score_floor: 0,
        questions: { max: 2, wait: 600 },
        ...body,
      },
    })
  }

  async function asking(jobId: string) {
    return await until(jobId, ({ body }) => body.asking === true)
  }

  /** Returns the job once it is as wanted; a job that ends otherwise fails the test. */
  async function until(jobId: string, isWanted: (job: Answer) => boolean) {
    for (;;) {
      const job = await api.call('GET', `/v1/compile/${jobId}`, { key: tenant.key })
      if (isWanted(job)) return job.body
      if (!['queued', 'running'].includes(job.body.status)) expect.fail(job.text)
      await sleep(50)
    }
  }

  async function ended(jobId: string) {
    return await until(jobId, ({ body }) => body.status === 'completed')
  }

  async function answer(jobId: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    return await api.call('POST', `/v1/compile/${jobId}/answers`, { key: tenant.key, body, headers })
  }

  it('asks about the input that splits the candidates, and learns from the answer', async () => {
    const accepted = await compile()
    expect(accepted.status, accepted.text).to.equal(202)
    const jobId = accepted.body.job_id
    const waiting = await asking(jobId)
    expect(waiting).to.include({ status: 'running', stage: 'k-sample' })
    const [question] = waiting.questions
    expect(question).to.include({ question: 1, state: 'open' })
    expect(UNLABELLED).to.include(question.input)
    expect(question.answers.length).to.be.greaterThan(1)
    // The row is there before the activity that asked has ended.
    await untilDetails(jobId, /waiting for 2 answers/)
    expect(service.deps.cores.short.held).to.equal(0)

    const output = question.input.split(' ').at(-1)
    const given = await answer(jobId, { question: 1, answer: { output } }, { 'idempotency-key': 'one' })
    expect(given.status, given.text).to.equal(200)
    expect(given.body.question).to.include({ state: 'answered', output })
    const again = await answer(jobId, { question: 1, answer: { output } }, { 'idempotency-key': 'one' })
    expect([again.status, again.body.question]).to.deep.equal([200, given.body.question])
    const twice = await answer(jobId, { question: 1, answer: 'skip' })
    expect([twice.status, twice.body.code]).to.deep.equal([409, 'question_answered'])

    const done = await skipRest(jobId)
    expect(done.questions[0]).to.include({ state: 'answered', output })
    expect(done).to.not.have.property('asking')
    const run = await api.call('POST', '/v1/run', {
      key: tenant.key,
      body: { concept_id: done.concept_id, input: 'Tony Charles Antony Hoare' },
    })
    expect(run.body.output).to.equal('Hoare')
    expect(done.evals_summary.total).to.equal(4)
    const late = await answer(jobId, { question: 1, answer: 'skip' })
    expect([late.status, late.body.code]).to.deep.equal([409, 'already_finished'])
    await recordHistory(service.temporal, 'compile-asked', jobId)

    const op = systemOperation(service.database.db, {
      tenantId: tenant.id,
      name: 'test',
      requestId: jobId,
      now: () => new Date(),
    })
    const { items } = await listAudit(op, { limit: 50 })
    expect(items.filter(({ action }) => action === 'compile.question_answered')).to.have.length.greaterThan(0)
  })

  /** Skips what is still asked, and returns the finished job. */
  async function skipRest(jobId: string) {
    for (;;) {
      const job = await until(jobId, ({ body }) => body.asking === true || body.status === 'completed')
      if (job.status === 'completed') return job
      const open = job.questions.find((one: { state: string }) => one.state === 'open')
      expect((await answer(jobId, { question: open.question, answer: 'skip' })).status).to.be.oneOf([200, 409])
    }
  }

  it('gives the CID of the rows in the end, whether they were answered or given', async () => {
    const { job_id: jobId } = (await compile({ questions: { max: 1, wait: 600 } })).body
    const [{ input }] = (await asking(jobId)).questions
    const output = input.split(' ').at(-1)
    await answer(jobId, { question: 1, answer: { output } })
    const asked = await ended(jobId)
    const others = UNLABELLED.filter((one) => one !== input)
    const given = await compile({
      examples: [...EXAMPLES, { id: 'answer_1', input, output }],
      unlabelled_inputs: others,
      questions: { max: 0 },
    })
    expect(given.body.cid).to.equal(asked.cid)
  })

  it('goes on without an answer when the time is over', async () => {
    const { job_id: jobId } = (await compile({ questions: { max: 2, wait: 1 } })).body
    const done = await ended(jobId)
    expect(done.questions.map(({ state }: { state: string }) => state)).to.deep.equal(['expired'])
    expect(done.evals_summary.total).to.equal(3)
  })

  it('leaves an invalid input out and does not ask about it again', async () => {
    const { job_id: jobId } = (await compile()).body
    const [first] = (await asking(jobId)).questions
    expect((await answer(jobId, { question: 1, answer: 'invalid_input' })).status).to.equal(200)
    const done = await skipRest(jobId)
    expect(done.questions[0]).to.include({ state: 'invalid_input' })
    expect(done.questions.slice(1).map(({ input }: { input: string }) => input)).to.not.include(first.input)
  })

  it('refuses answers to unknown questions, of other tenants, of ended jobs and in a wrong form', async () => {
    const { job_id: jobId } = (await compile()).body
    await asking(jobId)
    expect((await answer(jobId, { question: 9, answer: 'skip' })).status).to.equal(404)
    const stranger = await givenApiTenant(api)
    const body = { question: 1, answer: 'skip' }
    const theirs = await call(api.url, 'POST', `/v1/compile/${jobId}/answers`, { key: stranger.key, body })
    expect(theirs.status).to.equal(404)
    expect((await answer(jobId, { question: 1, answer: 'perhaps' })).status).to.equal(400)
    const number = await answer(jobId, { question: 1, answer: { output: 7 } })
    expect([number.status, number.body.details.fields[0].field]).to.deep.equal([400, 'answer.output'])
    expect((await answer(jobId, { question: 1, answer: { output: 'x'.repeat(20_000) } })).body.code).to.equal(
      'example_too_large',
    )
    await api.call('POST', `/v1/compile/${jobId}/cancel`, { key: tenant.key })
    const late = await answer(jobId, body)
    expect([late.status, late.body.code]).to.deep.equal([409, 'already_finished'])
    const job = await api.call('GET', `/v1/compile/${jobId}`, { key: tenant.key })
    expect(job.body.questions[0].state).to.equal('expired')
  })

  it('names both rows when an answer contradicts an example', async () => {
    const { job_id: jobId } = (await compile()).body
    await asking(jobId)
    // A job whose question is about the input of an example, as none of ours is.
    const op = systemOperation(service.database.db, {
      tenantId: tenant.id,
      name: 'test',
      requestId: jobId,
      now: () => new Date(),
    })
    await op.write(
      async (tx) =>
        await tx.q
          .updateTable('compile_questions')
          .set({ input: JSON.stringify('Ada Lovelace') })
          .where('job_id', '=', jobId)
          .execute(),
    )
    const refused = await answer(jobId, { question: 1, answer: { output: 'Ada' } })
    expect([refused.status, refused.body.code]).to.deep.equal([400, 'contradictory_examples'])
    expect(refused.text).to.include('row_1').and.include('answer_1')
    expect((await answer(jobId, { question: 1, answer: { output: 'Lovelace' } })).status).to.equal(200)
    await skipRest(jobId)
  })

  it('asks nothing by default, and nothing when the candidates agree', async () => {
    const plain = await compile({ questions: undefined })
    expect([plain.status, plain.body.questions]).to.deep.equal([200, undefined])
    const agreed = await compile({ unlabelled_inputs: ['Barbara Liskov'], mode: 'sync' })
    expect([agreed.status, agreed.body.questions]).to.deep.equal([200, []])
  })

  it('states how many unlabelled inputs its programs leave undecided, and why it did not measure that', async () => {
    const measured = await compile({ questions: undefined, mode: 'sync' })
    expect(measured.body.undecided, measured.text).to.deep.include({ basis: 'measured', n: UNLABELLED.length })
    const without = await compile({ questions: undefined, unlabelled_inputs: [], mode: 'sync' })
    const why = 'no unlabelled inputs were given'
    expect(without.body.undecided, without.text).to.deep.equal({ basis: 'not_measured', why })
  })

  it('refuses unlabelled inputs of another type than those of the examples, naming the field', async () => {
    const listed = await compile({ unlabelled_inputs: ['Barbara Liskov', 7] })
    const marked = await compile({ examples: [...EXAMPLES, { kind: 'unlabelled', input: { name: 'Ada' } }] })
    expect([listed.status, marked.status]).to.deep.equal([400, 400])
    expect(listed.body.details.fields, listed.text).to.deep.equal([
      { field: 'unlabelled_inputs[1]', message: 'is a number; the inputs of the examples are each a text' },
    ])
    expect(marked.body.details.fields[0].field, marked.text).to.equal('examples[3].input')
  })

  /** Returns once the workflow shows these details. */
  async function untilDetails(jobId: string, wanted: RegExp): Promise<void> {
    while (!wanted.test(await currentDetails(jobId))) await sleep(50)
  }

  async function currentDetails(jobId: string): Promise<string> {
    const handle = service.temporal.client.workflow.getHandle(jobId)
    return await handle.query<string>('__temporal_workflow_metadata').then((metadata) => JSON.stringify(metadata))
  }
})
