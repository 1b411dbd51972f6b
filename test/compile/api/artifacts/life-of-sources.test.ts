import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { carryOutLife } from '../../../../db/compile/artifacts/life/carry-out.ts'
import { flagRevokedSources } from '../../../../db/compile/artifacts/life/flag-revoked-sources.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import { givenJob, givenReady } from '../../../support/db/given.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

describe('a revocation beside publications', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  let op: Operation
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
    op = setUpOperation(database.db, tenant.id)
  })
  const life = async (id: string) => await api.call('GET', `/v1/artifacts/${id}/lifecycle`, { key: tenant.key })
  const move = async (id: string, body: object) => {
    const answer = await api.call('POST', `/v1/artifacts/${id}/lifecycle/transition`, { key: tenant.key, body })
    expect(answer.status, answer.text).to.equal(200)
  }

  it('waits for publications under way alone, and keeps neither them nor the life of their sources waiting', async () => {
    const { jobId, conceptId } = await givenProgramVersion(op, api.server.services.signingKeys.current)
    const { job } = await givenJob(op, { student: jobId })
    const other = (await givenReady(op, (await givenJob(op, { conceptId })).job.id)).job
    const { job: meanwhile } = await givenJob(op, { earlierJob: other.id })
    let settled: ReturnType<typeof carryOutLife> | undefined
    await op.write(async (tx) => {
      await flagRevokedSources(tx, op, { artifactId: job.id, now: new Date() })
      const moves = (async () => {
        await move(jobId, { to_state: 'deployed' })
        await move(jobId, { to_state: 'revoked', reason: 'the key leaked' })
      })()
      expect(await Promise.race([moves, sleep(5000, 'waits')]), 'the life of a source').to.equal(undefined)
      expect((await givenReady(op, meanwhile.id)).job.status).to.equal('ready')
      settled = carryOutLife(op, { artifactId: jobId, onStep: () => undefined })
      await sleep(300)
      expect((await life(jobId)).body.effects, 'effects of the revocation').to.equal('pending')
    })
    // The later version; what was published after the revocation flagged itself.
    expect((await settled)?.flagged).to.equal(1)
    const flagged = await sendSql<{ readonly id: string }>(
      database.db,
      'select artifact_id as id from artifact_reviews where source_id = $1',
      [jobId],
    )
    expect(flagged.map(({ id }) => id)).to.have.members([other.id, meanwhile.id])
  })
})
