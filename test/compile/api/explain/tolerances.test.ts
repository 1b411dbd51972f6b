import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { verifyByRecomputation } from '../../../../core/compile/archive/recompute/recompute.ts'
import { createRandom } from '../../../../core/model/random.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../../support/api.ts'
import { runCli } from '../../../support/cli/run-cli.ts'
import { useService } from '../../../support/workflows/service.ts'

/** Rents that follow from the size and the floor of a flat, each off by up to 15. */
function rents(count: number) {
  const random = createRandom(7, 'rents')
  return Array.from({ length: count }, (_, at) => {
    const input = { size: 30 + ((at * 37) % 97), floor: random.below(8), has_lift: random.float() < 0.5 }
    const rent = 210 + 11.5 * input.size + (input.has_lift ? 9 * input.floor : 0)
    return { input, output: Math.round(rent + (random.float() - 0.5) * 30) }
  })
}

describe('tolerances of a compile', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  const compile = async (body: Record<string, unknown>) =>
    await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: { task: 'Estimate the rent', mode: 'sync', ...body },
    })

  it('let a model of numbers be signed that is near enough, and are in its archive and in its words', async () => {
    const examples = rents(24)
    const exact = await compile({ examples })
    expect([exact.status, exact.body.code]).to.deep.equal([422, 'k_score_below_floor'])
    expect(exact.text).to.contain('unless the compile states `tolerances`')

    const near = await compile({ examples, tolerances: [{ absolute: 25 }] })
    expect(near.status, near.text).to.equal(200)
    expect(near.body).to.deep.include({ status: 'completed', tolerances: [{ path: [], absolute: 25 }] })
    const file = await api.call('GET', `/v1/compile/${near.body.id}/.svc`, { key: tenant.key })
    const checked = await verifyByRecomputation(file.bytes)
    expect(checked.ok, checked.detail).to.equal(true)
    expect(checked.attested?.map(({ fact }) => fact)).to.include('the tolerances of numbers: the number within 25')
    const artifact = await api.call('GET', `/v1/artifacts/${near.body.id}`, { key: tenant.key })
    expect(artifact.text).to.match(/held-out rows, counting the number within 25 as right/)
  })

  it('hold for the member of an output that they name, also where the job is compiled again', async () => {
    const examples = rents(16).map(({ input, output }) => ({ input, output: { rent: output, floor: input.floor } }))
    const wide = await compile({ examples, tolerances: [{ path: ['rent'], relative: 0.1 }] })
    expect(wide.status, wide.text).to.equal(200)
    const path = `/v1/compile/${wide.body.id}/again`
    const again = await api.call('POST', path, { key: tenant.key, body: { mode: 'sync' } })
    expect(again.body.tolerances, again.text).to.deep.equal([{ path: ['rent'], relative: 0.1 }])
    const body = { mode: 'async', tolerances: [] }
    const without = await api.call('POST', path, { key: tenant.key, body })
    expect(without.status, without.text).to.equal(202)
    const shown = await api.call('GET', `/v1/compile/${without.body.job_id}`, { key: tenant.key })
    expect(shown.body).not.to.have.property('tolerances')
  })

  it('take outputs of one input within them for one', async () => {
    const examples = [...rents(12), ...rents(12).map(({ input, output }) => ({ input, output: output + 4 }))]
    const exact = await compile({ examples })
    expect([exact.status, exact.body.code]).to.deep.equal([400, 'contradictory_examples'])
    const near = await compile({ examples, tolerances: [{ absolute: 25 }], mode: 'async' })
    expect(near.status, near.text).to.equal(202)
    const far = await compile({ examples, tolerances: [{ absolute: 3 }] })
    expect([far.status, far.body.code]).to.deep.equal([400, 'contradictory_examples'])
  })

  it('join outputs that are within them of one another, in whatever order they come', async () => {
    const others = rents(12)
    for (const outputs of [
      [4, 0, 8],
      [0, 4, 8],
    ]) {
      const same = outputs.map((output) => ({ input: { size: 1, floor: 0, has_lift: false }, output }))
      const { status, body } = await compile({ examples: [...others, ...same], tolerances: [{ absolute: 5 }] })
      expect([status, body.code], outputs.join()).to.deep.equal([400, 'contradictory_examples'])
    }
  })

  it('leave so few rows of many that a contradiction is refused, before the job is accepted', async () => {
    const twice = Array.from({ length: 60 }, (_, x) => [0, 1].map((off) => ({ input: { x }, output: x * 100 + off })))
    const examples = [...twice.flat(), { input: { x: 3 }, output: 9999 }]
    const { status, body } = await compile({ examples, tolerances: [{ absolute: 5 }] })
    expect([status, body.code]).to.deep.equal([400, 'contradictory_examples'])
  })

  it('are refused where they say nothing, with the field', async () => {
    const examples = rents(12)
    const fieldOf = async (tolerances: unknown): Promise<string | undefined> => {
      const { status, body } = await compile({ examples, tolerances })
      expect([status, body.code], JSON.stringify(body)).to.deep.equal([400, 'validation_failed'])
      return body.details?.fields?.[0]?.field
    }
    expect(await fieldOf([{ path: ['price'], absolute: 1 }])).to.equal('tolerances[0].path')
    expect(await fieldOf([{ absolute: 1 }, { relative: 0.1 }])).to.equal('tolerances')
    expect(await fieldOf([{}])).to.match(/^tolerances/)
    expect(await fieldOf([{ absolute: 0 }])).to.match(/^tolerances/)
    expect(await fieldOf([{ relative: 1 }])).to.match(/^tolerances/)
  })

  it('are an option of the CLI, which shows what counts as right', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-tolerances-'))
    try {
      const svc = async (...args: string[]) =>
        await runCli(args, { profileDir: join(folder, 'profile'), folder, env: { SVC_URL: api.url } })
      const login = await svc('login', '--key', tenant.key)
      expect(login.code, login.stderr).to.equal(0)
      const rows = rents(16).map(({ input, output }) => ({ input, output: { rent: output, floor: input.floor } }))
      await writeFile(join(folder, 'rents.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      const tolerance = ['--tolerance', 'rent = 0.5 or 10%']
      const run = await svc('compile', 'rents.jsonl', '--task', 'Estimate the rent', ...tolerance)
      expect(run.code, run.stdout + run.stderr).to.equal(0)
      expect(run.stdout).to.match(/counted as right +rent within 0.5 or 10 %/)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
