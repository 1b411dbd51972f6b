import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { givenProgramArtifact } from '../../support/archives/signed-artifacts.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { runCli } from '../../support/cli/run-cli.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('svc cloud, svc distill and svc eval', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let folder: string
  let artifactId: string
  let key: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-plans-'))
    const tenant = await givenApiTenant(api)
    key = tenant.key
    artifactId = await givenProgramArtifact(setUpOperation(database.db, tenant.id))
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })
  const svc = async (...args: string[]) =>
    await runCli(args, { profileDir: folder, folder, env: { SVC_URL: api.url, SVC_API_KEY: key } })

  it('print a plan that a shell can run, and what stands against each lane and strategy', async () => {
    const [plan, lanes, strategies, doctor, calibration] = await Promise.all([
      svc('cloud', 'plan', artifactId, '--name', 'router'),
      svc('cloud', 'broker', 'train', '--params', '7', '--budget', '20'),
      svc('distill', 'strategy', '--task', 'extraction', '--pairs', '900', '--teacher', 'gpt-4o'),
      svc('distill', 'doctor'),
      svc('eval', 'calibration'),
    ])
    expect(plan.stdout, plan.stderr).to.contain(`download '${artifactId}' -o 'router.svc'`)
    expect(plan.stdout.split('\n').filter((line) => !/^(#|svc|docker)/.test(line.trim()))).to.deep.equal([''])
    expect(lanes.stdout, lanes.stderr)
      .to.match(/^Rented pods.* does not fit .*no public address/m)
      .and.to.contain('are not measured')
    expect(strategies.stdout, strategies.stderr).to.match(/^Fit an adapter on the answers +78 +yes/m)
    for (const { stdout } of [lanes, strategies]) expect(stdout).to.not.match(/[a-z]_[a-z]/)
    expect(doctor.code, doctor.stderr).to.equal(1)
    expect(doctor.stdout).to.contain('Temporal does not answer')
    expect(calibration.stdout, calibration.stderr).to.match(/\d+ of 30 cases reach 0.85/)
  })
})
