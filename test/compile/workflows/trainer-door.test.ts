import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { prepareFit } from '../../../core/compile/stages/lora/prepare-fit.ts'
import { hashBase } from '../../../core/model/files/base-model.ts'
import { inspectBase } from '../../../core/model/files/inspect-base.ts'
import { putTrainingRecords } from '../../../db/compile/progress/training/training-records.ts'
import { reserveRental } from '../../../db/compile/rentals/begin-rental.ts'
import { requireRental } from '../../../db/compile/rentals/find-rental.ts'
import { closeLease, endLease, orderLease } from '../../../db/compile/rentals/leases.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import { systemOperation, type Operation } from '../../../db/kernel/operation.ts'
import { givenApiTenant, useApi } from '../../support/api.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { rentalSettings, SWAPPED_WORDS } from '../../support/workflows/rentals/given-rentals.ts'
import { apart } from '../core/rows/given-rows.ts'

const OWN_BASES = fileURLToPath(new URL('../../../bases', import.meta.url))
const BASES = fileURLToPath(new URL('../../model/golden', import.meta.url))
/** The largest file that a machine may send here. */
const UPLOAD_BYTES = 100_000

describe('a compile on a rented machine, before it begins', () => {
  const rentals = rentalSettings({
    lane: 'gpu_pods',
    key: 'operator',
    usdPerHour: 1.2,
    url: () => 'http://127.0.0.1:9',
  })
  const api = useApi({
    settings: { baseFolders: [BASES, OWN_BASES], rentals, publicUrl: 'https://svc.example' },
    limits: { rental_usd_free: 10, trainer_upload_bytes: UPLOAD_BYTES },
  })
  const spec = { task: 'Swap the words', examples: SWAPPED_WORDS, base_model: 'llama-tied' }

  async function ask(body: object, key?: string) {
    const caller = key ?? (await givenApiTenant(api)).key
    return await api.call('POST', '/v1/compile/cloud', { key: caller, body })
  }

  it('has a quote with its inputs: tokens of the rows, speed, price', async () => {
    const quote = await ask({ backend: 'gpu_pods', spec: { ...spec, lora: { epochs: 10 } } })
    expect(quote.status, quote.text).to.equal(200)
    const { estimate } = quote.body
    // Two words of some tokens each way, for 28 of 36 rows.
    expect(estimate.inputs.tokens_per_pass).to.include({ basis: 'measured', n: 36 })
    expect(estimate.inputs.tokens_per_second).to.include({ basis: 'not_measured' })
    const seconds = 60 + Math.ceil((estimate.inputs.tokens / 9600) * 2)
    expect(estimate.seconds.expected).to.equal(seconds)
    expect(estimate.cost_usd).to.be.closeTo((1.2 * seconds) / 3600, 0.0001)
    expect(estimate.usd.low).to.be.at.most(estimate.cost_usd)
    expect(estimate.usd.high).to.be.greaterThan(estimate.cost_usd)
  })

  it('refuses an unknown lane, a budget below the quote, and one that is missing', async () => {
    const { key } = await givenApiTenant(api)
    const unknown = await ask({ backend: 'abacus', spec }, key)
    expect([unknown.status, unknown.body.code]).to.deep.equal([400, 'unknown_lane'])
    const short = await ask({ backend: 'runpod', spec, budget_usd: 0.001 }, key)
    expect([short.status, short.body.code]).to.deep.equal([422, 'budget_below_quote'])
    expect(short.body.details).to.include({ budget_usd: 0.001 })
    expect(short.body.details.quote_usd).to.be.greaterThan(0.001)
    const open = await ask({ backend: 'gpu_pods', spec, confirm: true }, key)
    expect([open.status, open.body.details.fields[0].field]).to.deep.equal([400, 'budget_usd'])
  })

  it("needs a key of the lane: the own one, or the operator's up to a price", async () => {
    const { key } = await givenApiTenant(api)
    const order = { spec, confirm: true, budget_usd: 5 }
    const without = await ask({ ...order, backend: 'gpu_vm' }, key)
    expect([without.status, without.body.code]).to.deep.equal([503, 'rental_not_configured'])
    const dear = await ask({ ...order, backend: 'gpu_pods', budget_usd: 11 }, key)
    expect([dear.status, dear.body.details]).to.deep.equal([503, { most_usd: 10 }])
    const stored = await api.call('POST', '/v1/account/provider-keys', {
      key,
      body: { provider: 'gpu_vm', value: 'my-own-key' },
    })
    expect(stored.status, stored.text).to.equal(200)
    const own = await ask({ ...order, backend: 'gpu_vm', budget_usd: 11 }, key)
    expect(own.status, own.text).to.equal(202)
    expect(own.body.rental).to.include({ teardown: 'automatic', budget_usd: 11, workflow: `${own.body.job_id}/rental` })
  })

  it("rests its speed on machines of the operator, and not on those of a tenant's own account", async () => {
    const { key } = await givenApiTenant(api)
    const job = await ask({ backend: 'gpu_pods', spec, confirm: true, budget_usd: 5 }, key)
    const quoted = async () => (await ask({ backend: 'gpu_pods', spec }, key)).body.estimate.inputs.tokens_per_second
    const end = `update rentals set tokens_per_second = 1e9, ended_at = now(), provider_key_id = $2 where job_id = $1`
    const { db } = api.server.services
    await sendSql(db, end, [job.body.job_id, 'pvk_own'])
    expect(await quoted()).to.include({ basis: 'not_measured' })
    await sendSql(db, end, [job.body.job_id, null])
    expect(await quoted()).to.include({ basis: 'measured', n: 1 })
    await sendSql(db, 'update rentals set tokens_per_second = null where job_id = $1', [job.body.job_id])
  })

  it('is quoted and started by the CLI', async () => {
    const { key } = await givenApiTenant(api)
    const folder = await mkdtemp(join(tmpdir(), 'svc-cloud-'))
    const file = join(folder, 'words.jsonl')
    await writeFile(file, SWAPPED_WORDS.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const run = async (...args: string[]) =>
      await runCli(['cloud', ...args, file, '-t', 'Swap the words', '--base', 'llama-tied'], {
        folder,
        profileDir: folder,
        env: { SVC_URL: api.url, SVC_API_KEY: key },
      })
    const quote = await run('quote')
    expect(quote.stdout, quote.stderr).to.match(/^0\.\d\d USD expected on gpu_pods, 0\.\d\d to 0\.\d\d\n/)
    expect(quote.stdout).to.include('tokens a second: not measured')
    const started = await run('compile', '--budget', '5', '--async')
    expect(started.stdout, started.stderr).to.match(/^cmp_\w+ queued\n/)
    await rm(folder, { recursive: true })
  })

  it('rents once for an Idempotency-Key', async () => {
    const { key } = await givenApiTenant(api)
    const body = { backend: 'gpu_pods', spec, confirm: true, budget_usd: 5 }
    const headers = { 'idempotency-key': 'once' }
    const first = await api.call('POST', '/v1/compile/cloud', { key, body, headers })
    const again = await api.call('POST', '/v1/compile/cloud', { key, body, headers })
    expect([first.status, again.status, again.body.job_id]).to.deep.equal([202, 202, first.body.job_id])
    const other = await api.call('POST', '/v1/compile/cloud', { key, body: { ...body, budget_usd: 6 }, headers })
    expect([other.status, other.body.code]).to.deep.equal([409, 'idempotency_key_reused'])
    expect([first.body.status, again.body.status]).to.deep.equal(['queued', 'queued'])
    const cancelled = await api.call('POST', `/v1/compile/${first.body.job_id}/cancel`, { key })
    expect(cancelled.status, cancelled.text).to.be.oneOf([200, 202])
    const ended = await api.call('POST', '/v1/compile/cloud', { key, body, headers })
    expect([ended.status, ended.body.job_id, ended.body.status]).to.deep.equal([202, first.body.job_id, 'cancelled'])
  })

  it('keeps rows with sensitive text here, unless a flag that the ledger records says otherwise', async () => {
    const { key, id } = await givenApiTenant(api)
    const examples = [...SWAPPED_WORDS, { input: 'mail ada@example.com', output: 'ada@example.com mail' }]
    const body = { backend: 'gpu_pods', spec: { task: spec.task, examples }, confirm: true, budget_usd: 5 }
    const refused = await ask(body, key)
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'privacy_requires_byoc'])
    const fields = [{ field: 'spec.examples', message: 'holds sensitive text' }]
    expect(refused.body.details).to.deep.equal({ rows: 1, classes: ['email'], fields })
    expect(refused.body.error).to.include('1 row holds sensitive text')
    // A teacher's answers make rows of unlabelled inputs, and prompts may hold the task.
    const unlabelled = { examples: SWAPPED_WORDS, unlabelled_inputs: ['mail ada@example.com'] }
    const elsewhere = { ...body, spec: { task: 'Swap the words for ada@example.com', ...unlabelled } }
    const both = await ask(elsewhere, key)
    expect(both.body.details).to.include({ rows: 1 })
    expect(both.body.details.fields.map(({ field }: { field: string }) => field)).to.deep.equal([
      'spec.examples',
      'spec.task',
    ])
    expect(refused.text).to.not.include('ada@')
    const allowed = await ask({ ...body, allow_sensitive: true }, key)
    expect(allowed.status, allowed.text).to.equal(202)
    const op = systemOperation(api.server.services.db, { tenantId: id, name: 'test', requestId: 'test' })
    await expectAudited(op, 'rental.sensitive_allowed', allowed.body.job_id)
  })

  describe('the door for its trainer', () => {
    interface Machine {
      readonly op: Operation
      readonly jobId: string
      readonly leaseId: string
      readonly token: string
      readonly secret: string
    }

    async function givenMachine(): Promise<Machine> {
      const { key, id: tenantId } = await givenApiTenant(api)
      const accepted = await ask({ backend: 'gpu_pods', spec, confirm: true, budget_usd: 5 }, key)
      const jobId: string = accepted.body.job_id
      const { db } = api.server.services
      const op = systemOperation(db, { tenantId, name: 'test', requestId: 'test' })
      const rows = SWAPPED_WORDS.map((row, place) => ({ id: `caller's name ${place}`, ...row }))
      const directory = `${BASES}/llama-tied`
      const { fits } = await prepareFit({
        task: spec.task,
        rows,
        negatives: [],
        split: apart(rows),
        teacherRows: [],
        base: { name: 'llama-tied', directory, weightsHash: await hashBase(directory, await inspectBase(directory)) },
        options: {},
        memoryBudgetBytes: null,
        hidesIds: true,
      })
      const { sha256: fit } = await putBlob(db, fits[0]?.document ?? new Uint8Array())
      const record = { role: 'input', blobSha256: fit, facts: null } as const
      await putTrainingRecords(op, { jobId, fit, now: new Date(), records: [record] })
      await reserveRental(op, { jobId, fit })
      const token = `trn_${randomBytes(8).toString('hex')}`
      const lease = await orderLease(op, {
        jobId,
        prefix: 'svc',
        tokenHash: createHash('sha256').update(token).digest('hex'),
        rateUsdMicros: 1_200_000,
        most: 4,
      })
      return { op, jobId, leaseId: lease.id, token, secret: randomBytes(32).toString('hex') }
    }

    const send = async (machine: Machine, path: string, body: object, bearer = machine.secret) =>
      await api.call('POST', `/v1/trainer/${path}`, { body, headers: { authorization: `Bearer ${bearer}` } })

    const upload = async ({ secret }: Machine, name: string, bytes: Uint8Array<ArrayBuffer>) => {
      const form = new FormData()
      form.set('file', new Blob([bytes]), name)
      const headers = { authorization: `Bearer ${secret}` }
      return await fetch(`${api.url}/v1/trainer/files?name=${name}&step=3`, { method: 'POST', body: form, headers })
    }

    it('opens for one machine, which sees token ids of train rows and nothing else', async () => {
      const machine = await givenMachine()
      expect((await send(machine, 'lease', { secret: machine.secret }, 'trn_other')).status).to.equal(401)
      const { secret, token } = machine
      const opened = await send(machine, 'lease', { secret }, token)
      expect(opened.status, opened.text).to.equal(200)
      // A repeated call of the same machine is no second machine.
      expect((await send(machine, 'lease', { secret }, token)).status).to.equal(200)
      const twin = await send(machine, 'lease', { secret: randomBytes(32).toString('hex') }, token)
      expect([twin.status, twin.body.code]).to.deep.equal([409, 'lease_taken'])
      const headers = { authorization: `Bearer ${secret}` }
      const document = await (await fetch(`${api.url}/v1/trainer/document`, { headers })).text()
      expect(document).to.match(/^\{"format":"svc-fit\/1","base":\{"name":"llama-tied"/)
      const { rows, validation } = JSON.parse(document)
      // Of 36 rows, those that score the adapter stay out.
      expect(rows.length + validation.length).to.be.lessThan(36)
      for (const word of ['caller', 'hat', 'Swap', machine.jobId]) expect(document).to.not.include(word)
      expect((await fetch(`${api.url}/v1/trainer/checkpoint`, { headers })).status).to.equal(404)
      // The secret of a machine opens nothing else.
      expect((await api.call('GET', `/v1/compile/${machine.jobId}`, { key: secret })).status).to.equal(401)
    })

    it('takes bounded reports and files, says when to stop, and closes with the lease', async () => {
      const machine = await givenMachine()
      await send(machine, 'lease', { secret: machine.secret }, machine.token)
      expect((await send(machine, 'progress', { step: -1, steps: 5 })).status).to.equal(400)
      const going = await send(machine, 'progress', { step: 2, steps: 5, loss: 0.5 })
      expect(going.body.state).to.equal('go_on')
      expect((await upload(machine, 'checkpoint', new Uint8Array(64))).status).to.equal(200)
      // Each checkpoint is stored whole, so they may not come too fast.
      expect((await upload(machine, 'checkpoint', new Uint8Array(65))).status).to.equal(503)
      const large = await upload(machine, 'adapter_model', new Uint8Array(UPLOAD_BYTES + 1))
      expect([large.status, await large.text()]).to.satisfy(
        ([status, text]: [number, string]) => status === 413 && text.includes(`"max_bytes":${UPLOAD_BYTES}`),
      )
      expect((await upload(machine, 'secrets', new Uint8Array(1))).status).to.equal(400)
      expect((await send(machine, 'failure', { code: 'not_found' })).status).to.equal(400)
      const { leases } = await requireRental(machine.op, machine.jobId)
      expect(leases[0]?.progress).to.include({ step: 2, steps: 5 })
      await closeLease(machine.op, machine.leaseId)
      expect((await send(machine, 'progress', { step: 3, steps: 5 })).body.state).to.equal('stop')
      await endLease(machine.op, { leaseId: machine.leaseId, isCharged: true })
      const late = await send(machine, 'progress', { step: 4, steps: 5 })
      expect([late.status, late.body.code]).to.deep.equal([410, 'lease_over'])
    })
  })
})
