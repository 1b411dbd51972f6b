import { expect } from 'chai'
import { checkRevocations } from '../../../../core/compile/artifacts/life/revocation-list.ts'
import { trustKeys } from '../../../../core/ledger/keys/jwk.ts'
import { carryOutLife } from '../../../../db/compile/artifacts/life/carry-out.ts'
import { succeedExport } from '../../../../db/compile/exports/finish-export.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { givenProgramVersion, type GivenVersion } from '../../../support/archives/signed-artifacts.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { givenExport, givenJob, givenReady } from '../../../support/db/given.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenKey } from '../../../support/people/given-keys.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

const AT_ONCE = 50

describe('the life of an artifact over HTTP', () => {
  const database = useDatabase()
  const stores = () => ({ database, temporal: NO_TEMPORAL })
  const api = useApi({ stores, limits: { transitions_per_artifact: 4, share_calls_per_ip_minute: 100 } })
  const second = useApi({ stores })
  let tenant: ApiTenant
  let op: Operation
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
    op = setUpOperation(database.db, tenant.id)
  })

  const given = async (): Promise<GivenVersion> =>
    await givenProgramVersion(op, api.server.services.signingKeys.current)
  const nextVersion = async (conceptId: string) =>
    (await givenReady(op, (await givenJob(op, { conceptId })).job.id)).job
  const life = async (id: string, key = tenant.key) => await api.call('GET', `/v1/artifacts/${id}/lifecycle`, { key })
  const move = async (id: string, body: object, key = tenant.key) =>
    await api.call('POST', `/v1/artifacts/${id}/lifecycle/transition`, { key, body })
  const revoke = async (id: string) => {
    const answer = await move(id, { to_state: 'revoked', reason: 'the key leaked' })
    expect(answer.status, answer.text).to.equal(200)
  }
  const settle = async (artifactId: string) => await carryOutLife(op, { artifactId, onStep: () => undefined })

  it('begins with its signature, and keeps each transition with its actor, its reason and an audit line', async () => {
    const { jobId } = await given()
    const begun = await life(jobId)
    expect(begun.body).to.deep.include({ artifact_id: jobId, current_state: 'signed', effects: 'done' })
    expect(begun.body.history).to.have.length(1)
    expect(begun.body.history[0]).to.include({ from: 'created', to: 'signed' })
    const moved = await move(jobId, { to_state: 'deployed', reason: ' first rollout ', evidence_id: 'eval:1' })
    expect(moved.status, moved.text).to.equal(200)
    expect(moved.body.valid_transitions).to.deep.equal(['monitored', 'superseded', 'revoked', 'undeployed'])
    expect(moved.body.history[1]).to.include({
      from: 'signed',
      to: 'deployed',
      reason: 'first rollout',
      evidence_id: 'eval:1',
    })
    expect(moved.body.history[1].actor).to.match(/^key:key_/)
    const line = await expectAudited(op, 'artifact.moved', jobId)
    expect(line.payload).to.deep.equal({ artifact_id: jobId, from: 'signed', to: 'deployed', position: 1 })
    expect((await api.call('GET', `/v1/artifacts/${jobId}`, { key: tenant.key })).body.status).to.equal('deployed')
  })

  it('refuses other transitions, and leaves the state untouched', async () => {
    const { jobId } = await given()
    const answers = [
      [await move(jobId, { to_state: 'monitored' }), 409, 'invalid_transition'],
      [await move(jobId, { to_state: 'teleported' }), 409, 'invalid_transition'],
      [await move(jobId, {}), 400, 'missing_to_state'],
      [await move(jobId, { to_state: 'revoked' }), 400, 'validation_failed'],
      [await move(jobId, { to_state: 'revoked', reason: '  ' }), 400, 'validation_failed'],
      [await move(jobId, { to_state: 'archived', successor_id: jobId }), 400, 'validation_failed'],
    ] as const
    for (const [{ status, body, text }, expected, code] of answers) {
      expect([status, body.code], text).to.deep.equal([expected, code])
    }
    expect(answers[3][0].body.details.fields[0].field).to.equal('reason')
    const { body } = await life(jobId)
    expect([body.current_state, body.history.length]).to.deep.equal(['signed', 1])
  })

  it('is that of its tenant alone, and takes the scope artifacts:write to change', async () => {
    const { jobId } = await given()
    const stranger = await givenApiTenant(api)
    expect((await life(jobId, stranger.key)).status).to.equal(404)
    expect((await move(jobId, { to_state: 'revoked', reason: 'mine' }, stranger.key)).status).to.equal(404)
    const { key } = await givenKey(database.db, { tenantId: tenant.id, scopes: ['artifacts:read'] })
    expect((await life(jobId, key)).status).to.equal(200)
    expect((await move(jobId, { to_state: 'deployed' }, key)).body.code).to.equal('insufficient_scope')
  })

  it('names a successor of the tenant that is in force', async () => {
    const [first, next] = [await given(), await given()]
    const foreign = await givenProgramVersion(setUpOperation(database.db, (await givenApiTenant(api)).id))
    await move(first.jobId, { to_state: 'deployed' })
    const supersede = async (successor?: string) =>
      await move(first.jobId, { to_state: 'superseded', ...(successor && { successor_id: successor }) })
    const without = await supersede()
    expect([without.status, without.body.details.fields[0].field]).to.deep.equal([400, 'successor_id'])
    for (const unknown of [foreign.jobId, 'nonsense']) {
      const answer = await supersede(unknown)
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'not_found'])
      expect(answer.body.details.fields[0].field).to.equal('successor_id')
    }
    expect((await supersede(first.jobId)).status).to.equal(400)
    const done = await supersede(next.jobId)
    expect(done.body.history.at(-1).successor_id, done.text).to.equal(next.jobId)
    // Its successor cannot come back to it.
    await move(next.jobId, { to_state: 'deployed' })
    const circle = await move(next.jobId, { to_state: 'superseded', successor_id: first.jobId })
    expect(circle.body.error).to.equal('successor_id: must be in force: the artifact is superseded')
  })

  it(`lets one of ${AT_ONCE} transitions at once win`, async () => {
    const { jobId } = await given()
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, i) => {
        return i % 2 === 0
          ? await move(jobId, { to_state: 'revoked', reason: `the key leaked, ${i}` })
          : await move(jobId, { to_state: 'archived' })
      }),
    )
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(({ body }) => body.code)).to.deep.equal(Array(AT_ONCE - 1).fill('invalid_transition'))
    expect((await life(jobId)).body.history).to.have.length(2)
  })

  it('has a bounded number of transitions, and can be revoked all the same', async () => {
    const { jobId } = await given()
    for (const state of ['deployed', 'monitored', 'deployed', 'monitored']) {
      expect((await move(jobId, { to_state: state })).status).to.equal(200)
    }
    expect((await move(jobId, { to_state: 'deployed' })).body.code).to.equal('limit_reached')
    await revoke(jobId)
  })

  describe('that was revoked', () => {
    const runs = (version: GivenVersion) =>
      [{ concept_id: version.conceptId }, { version_id: version.versionId }].map((target) => ({
        ...target,
        input: 'ada',
      }))

    it('is refused by a second process from the notification on, and its downloads are gone', async () => {
      const version = await given()
      const run = async (body: object) => await second.call('POST', '/v1/run', { key: tenant.key, body })
      for (const body of runs(version)) expect((await run(body)).status).to.equal(200)
      const told = Promise.withResolvers<void>()
      const { notifications } = second.server.services
      const stop = notifications.on('svc_concepts', (id) => {
        if (id === version.conceptId) told.resolve()
      })
      await revoke(version.jobId)
      await told.promise
      stop()
      for (const body of runs(version)) {
        const refused = await run(body)
        expect([refused.status, refused.body.code], refused.text).to.deep.equal([410, 'artifact_revoked'])
        expect(refused.body.details).to.include({ reason: 'the key leaked', artifact_id: version.jobId })
      }
      for (const path of [
        `/v1/artifacts/${version.jobId}/download`,
        `/v1/artifacts/${version.jobId}/code`,
        `/v1/compile/${version.jobId}/.svc`,
      ]) {
        const { status, body } = await second.call('GET', path, { key: tenant.key })
        expect([status, body.code], path).to.deep.equal([410, 'artifact_revoked'])
        expect(body.details.actor).to.match(/^key:key_/)
      }
      const order = { artifact_id: version.jobId, target: 'svc' }
      const exported = await second.call('POST', '/v1/exports', { key: tenant.key, body: order })
      expect(exported.status).to.equal(410)
      await expectAudited(op, 'artifact.revoked', version.jobId)
    })

    it('loses its links, its exports and its head, and flags what is built on it', async () => {
      const first = await given()
      const { conceptId, jobId } = first
      const next = await nextVersion(conceptId)
      await sendSql(
        database.db,
        `update artifacts set manifest = json_build_object('artifact_hash', $2::text) where id = $1`,
        [next.id, '0'.repeat(64)],
      )
      const [open, written] = [await givenExport(op, jobId), await givenExport(op, jobId)]
      const [{ archive } = { archive: '' }] = await sendSql<{ archive: `sha256:${string}` }>(
        database.db,
        'select archive_sha256 as archive from artifacts where id = $1',
        [jobId],
      )
      const result = {
        sha256: archive as `sha256:${string}`,
        sizeBytes: 9,
        fileName: 'a.svc',
        mediaType: 'application/zip',
      }
      await succeedExport(op, { exportId: written.id, result, keptDays: 7 })
      const link = await api.call('POST', '/v1/share-links', { key: tenant.key, body: { target_id: jobId } })
      const headOf = async () =>
        (await api.call('GET', `/v1/concepts/${conceptId}`, { key: tenant.key })).body.head_version
      expect(await headOf()).to.equal(next.versionId)

      await revoke(jobId)
      // A visitor learns that it was revoked, and nothing of the account.
      const shown = await api.call('GET', new URL(link.body.url).pathname)
      expect([shown.status, shown.body.code, shown.body.details]).to.deep.equal([410, 'artifact_revoked', undefined])
      expect((await life(jobId)).body.effects).to.equal('pending')
      expect(await settle(jobId)).to.deep.equal({ shareLinks: 1, exports: 1, flagged: 1, hasMovedHead: false })
      expect(await settle(jobId)).to.deep.equal({ shareLinks: 0, exports: 0, flagged: 0, hasMovedHead: false })
      expect((await life(jobId)).body.effects).to.equal('done')

      const ended = await api.call('GET', new URL(link.body.url).pathname)
      expect(ended.body.code).to.equal('share_link_expired')
      const failed = await api.call('GET', `/v1/exports/${open.id}`, { key: tenant.key })
      expect(failed.body.export).to.include({ state: 'failed', error: 'the artifact was revoked' })
      const file = await api.call('GET', `/v1/exports/${written.id}/download`, { key: tenant.key })
      expect([file.status, file.body.code], file.text).to.deep.equal([410, 'artifact_revoked'])
      const flagged = (await api.call('GET', `/v1/artifacts/${next.id}`, { key: tenant.key })).body
      expect(flagged.needs_review).to.equal(true)
      expect(flagged.review_reasons[0]).to.deep.include({ code: 'source_revoked', artifacts: [jobId] })
    })

    it('flags artifacts that are built on it afterwards: again, as a later version, and by going on with its adapter', async () => {
      const { jobId, conceptId } = await given()
      await revoke(jobId)
      await settle(jobId)
      const { job: repeated } = await givenJob(op, { earlierJob: jobId })
      const again = (await givenReady(op, repeated.id)).job
      const { job: taught } = await givenJob(op, { student: jobId })
      const child = (await givenReady(op, taught.id)).job
      const next = await nextVersion(conceptId)
      const hash = '0'.repeat(64)
      for (const id of [again.id, child.id, next.id]) {
        await sendSql(
          database.db,
          `update artifacts set manifest = json_build_object('artifact_hash', $2::text) where id = $1`,
          [id, hash],
        )
        const { body, text } = await api.call('GET', `/v1/artifacts/${id}`, { key: tenant.key })
        expect(body.needs_review, text).to.equal(true)
        expect(body.review_reasons[0]).to.deep.include({ code: 'source_revoked', artifacts: [jobId] })
      }
    })

    it('gives its place as head to the newest version in force', async () => {
      const first = await given()
      const { conceptId } = first
      const [older, newer] = [await nextVersion(conceptId), await nextVersion(conceptId)]
      const headOf = async () =>
        (await api.call('GET', `/v1/concepts/${conceptId}`, { key: tenant.key })).body.head_version
      await revoke(newer.id)
      expect((await settle(newer.id)).hasMovedHead).to.equal(true)
      expect(await headOf()).to.equal(older.versionId)
      await move(older.id, { to_state: 'archived' })
      await settle(older.id)
      expect(await headOf()).to.equal(first.versionId)
      // An archived version still runs by its own id; the last one in force is the concept.
      await revoke(first.jobId)
      expect((await settle(first.jobId)).hasMovedHead).to.equal(false)
      const run = { concept_id: conceptId, input: 'ada' }
      expect((await api.call('POST', '/v1/run', { key: tenant.key, body: run })).body.code).to.equal('artifact_revoked')
    })

    it('is in the public list, signed and numbered, which has an ETag', async () => {
      const read = async (headers = {}) => await second.call('GET', '/v1/revocations', { headers })
      const before = (await read()).body
      const [one, two] = [await given(), await given()]
      await Promise.all([revoke(one.jobId), revoke(two.jobId)])
      const answer = await read()
      expect(answer.body.number).to.equal(before.number + 2)
      const jwks = await api.call('GET', '/.well-known/jwks.json')
      expect(checkRevocations(answer.body, trustKeys(jwks.body.keys))).to.deep.include({
        ok: true,
        signature: 'trusted',
      })
      const { body } = await api.call('GET', `/v1/artifacts/${one.jobId}`, { key: tenant.key })
      const entry = answer.body.revoked.find(
        (each: { artifact_hash: string }) => each.artifact_hash === body.artifact_hash,
      )
      expect(entry).to.deep.include({ cid: body.cid })
      expect(answer.text).not.to.include(tenant.id).and.not.to.include(one.jobId)
      const etag = answer.headers.get('etag') ?? ''
      expect((await read({ 'if-none-match': etag })).status).to.equal(304)
      expect((await api.call('GET', '/v1/revocations')).headers.get('etag')).to.equal(etag)
    })
  })
})
