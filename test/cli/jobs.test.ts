import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { NO_TEMPORAL, useApi } from '../support/api.ts'
import { runCli } from '../support/cli/run-cli.ts'
import { useDatabase } from '../support/stack/postgres.ts'
import { nameExamples } from '../support/workflows/service.ts'

describe('svc signup, svc compile --async and svc cancel', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-jobs-'))
    await writeFile(join(folder, 'names.json'), JSON.stringify({ task: 'Index names', examples: nameExamples() }))
  })
  after(async () => await rm(folder, { recursive: true, force: true }))
  const svc = async (...args: string[]) =>
    await runCli(args, { profileDir: join(folder, 'profile'), folder, env: { SVC_URL: api.url } })

  it('say that an account on a paid plan starts as a free one, and how to change it', async () => {
    const { code, stdout, stderr } = await svc('signup', '--email', 'pro@example.org', '--plan', 'pro')
    expect(code, stderr).to.equal(0)
    expect(stdout)
      .to.match(/^tenant pro-\w+ \(ten_\w+\), plan free$/m)
      .and.contain('The account is on plan free: plan pro starts when it is paid for, in the console (svc open).')
  })

  it('start a job without waiting for it, and cancel it', async () => {
    // No worker takes jobs here: the job is still queued when it is cancelled.
    const started = await svc('compile', 'names.json', '--async', '--json')
    expect(started.code, started.stderr).to.equal(0)
    const { job_id: id } = JSON.parse(started.stdout)
    const cancelled = await svc('cancel', id)
    expect([cancelled.code, cancelled.stdout], cancelled.stderr).to.deep.equal([0, `${id} cancelled\n`])
    expect((await svc('jobs')).stdout).to.match(new RegExp(`${id}.*cancelled`))
    const again = await svc('cancel', id)
    expect(again.code, again.stderr).to.equal(0)
  })
})
