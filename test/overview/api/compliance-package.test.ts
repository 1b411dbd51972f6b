import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { checkDocument } from '../../../core/ledger/keys/sealed-document.ts'
import { isSignedCheckpoint } from '../../../core/ledger/chain/checkpoint.ts'
import { JwkSet, trustKeys } from '../../../core/ledger/keys/jwk.ts'
import { GENESIS } from '../../../core/ledger/chain/ledger.ts'
import { sha256 } from '../../../core/kernel/json/json.ts'
import { signGrownChains } from '../../../db/ledger/across/keep-ledgers.ts'
import { recordAudit } from '../../../db/ledger/audit/record-audit.ts'
import { givenJob, givenReady } from '../../support/db/given.ts'
import { call, givenApiTenant, NO_TEMPORAL, serverOptions, useApi } from '../../support/api.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { readZip } from '../../support/archives/read-zip.ts'
import { startServer } from '../../../api/server.ts'
import { sendSql } from '../../support/db/send-sql.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'

describe('compliance package', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  async function given() {
    const tenant = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    await givenReady(op, (await givenJob(op)).job.id)
    return { tenant, op, get: async () => await api.call('GET', '/v1/account/compliance-package', { key: tenant.key }) }
  }

  it('holds log, checkpoints, receipts and keys, and its digest is signed', async () => {
    const { tenant, op, get } = await given()
    await signGrownChains(database.db, { now: () => new Date(), signal: new AbortController().signal })
    const { status, body } = await get()
    expect(status).to.equal(200)
    expect(body.tenant).to.include({ id: tenant.id, plan: 'free', region: 'test' })
    expect(body.org.members).to.deep.equal({ owner: 1 })
    expect(body.counts).to.deep.equal({ concepts: 1, compile_jobs: 1, receipts_signed: 1, audit_events: 3 })

    const zip = Buffer.from(body.b64_zip, 'base64')
    expect(sha256(zip)).to.equal(body.attestation.zip_sha256)
    const files = await readZip(zip)
    expect([...files.keys()]).to.deep.equal(body.attestation.files.map(({ name }: { name: string }) => name))
    for (const { name, sha256: digest } of body.attestation.files)
      expect(sha256(files.get(name) ?? '')).to.equal(digest)

    const jwks = JwkSet.parse(JSON.parse(files.get('jwks.json') ?? ''))
    const published = JwkSet.parse((await api.call('GET', '/.well-known/jwks.json')).body)
    expect(jwks.keys.map(({ kid }) => kid)).to.deep.equal(published.keys.map(({ kid }) => kid))
    const trusted = trustKeys(jwks.keys)
    expect(checkDocument(body.attestation, trusted)).to.equal('trusted')
    const other = { ...body.attestation, zip_sha256: sha256('another zip') }
    expect(checkDocument(other, trusted)).to.equal('invalid')

    const lines = (files.get('audit.jsonl') ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .toReversed()
    expect(lines.map((line) => line.action)).to.deep.equal(['tenant.created', 'compile.created', 'compile.completed'])
    for (const [i, line] of lines.entries()) {
      expect(line.prev_hash).to.equal(lines[i - 1]?.event_hash ?? GENESIS.event_hash)
    }
    const { checkpoints } = JSON.parse(files.get('checkpoints.json') ?? '')
    expect(checkpoints).to.have.length(1)
    expect(checkpoints[0]).to.include({ seq: 3, event_hash: lines[2].event_hash })
    expect(isSignedCheckpoint(checkpoints[0], trusted)).to.equal(true)
    const [receipt] = (files.get('receipts.jsonl') ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(receipt).to.deep.include({ receipt: { spec: 'test' } })

    const line = await expectAudited(op, 'compliance_package.created', tenant.id)
    expect(line.payload).to.include({ zip_sha256: body.attestation.zip_sha256, bytes: zip.length })
  })

  it('claims nothing that cannot be shown', async () => {
    const { tenant, op, get } = await given()
    const states = async () => {
      const { controls } = (await get()).body
      return Object.fromEntries(controls.map(({ id, state }: { id: string; state: string }) => [id, state]))
    }
    expect(await states()).to.include({
      'access.roles': 'met',
      'access.key_rotation': 'met',
      'access.verified_owner': 'not_met',
      'access.single_sign_on': 'not_met',
      'access.second_factor': 'not_met',
      'data.in_transit': 'not_met',
      'evidence.audit_trail': 'met',
      'evidence.signed_artifacts': 'met',
    })
    await sendSql(database.db, 'update tenants set is_email_verified = true where id = $1', [tenant.id])
    await sendSql(database.db, `update api_keys set created_at = now() - interval '100 days' where tenant_id = $1`, [
      tenant.id,
    ])
    await sendSql(database.db, `update audit_entries set actor = 'key:other' where tenant_id = $1 and seq = 2`, [
      op.tenantId,
    ])
    expect(await states()).to.include({
      'access.key_rotation': 'not_met',
      'access.verified_owner': 'met',
      'evidence.audit_trail': 'not_met',
    })
  })

  it('is sent piece by piece, of the length that was announced', async () => {
    const { tenant, op, get } = await given()
    const noise = () => randomBytes(600).toString('base64')
    for (let i = 0; i < 300; i++) {
      await tenantOf(database.db, tenant.id).write(async (tx) => {
        await recordAudit(tx, op, { action: 'artifact.downloaded', payload: { noise: noise() } })
      })
    }
    const { headers, bytes, body } = await get()
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8')
    expect(Number(headers.get('content-length'))).to.equal(bytes.length)
    expect(body).to.include({ ok: true, spec: 'svc-compliance-package-v1', request_id: headers.get('x-request-id') })
    const zip = Buffer.from(body.b64_zip, 'base64')
    expect(zip.length).to.be.greaterThan(150_000)
    expect(sha256(zip)).to.equal(body.attestation.zip_sha256)
    expect((await readZip(zip)).get('audit.jsonl')?.trim().split('\n')).to.have.length(303)
  })

  it('is made one at a time for a tenant, also when callers hang up', async () => {
    const { tenant, get } = await given()
    const answers = await Promise.all([get(), get(), get()])
    const codes = answers.map(({ status, body }) => (status === 200 ? 'made' : body.code))
    expect(codes).to.have.members(['busy', 'busy', 'made'])
    /** Hangs up while the package is made, which another call shows; false when it was not made meanwhile. */
    const hangUp = async (): Promise<boolean> => {
      const gone = new AbortController()
      const left = fetch(`${api.url}/v1/account/compliance-package`, {
        headers: { 'x-api-key': tenant.key },
        signal: gone.signal,
      })
      const ended = left.then(async (answer) => await answer.json()).catch(() => 'hung up')
      const { body } = await get()
      gone.abort()
      return body.code === 'busy' && (await ended) === 'hung up'
    }
    while (!(await hangUp())) await sleep(20)
    for (let status = 503; status !== 200; status = (await get()).status) await sleep(20)
  })

  it('is refused when it grows beyond its limit', async () => {
    const { tenant } = await given()
    const stores = { database, temporal: NO_TEMPORAL }
    const server = await startServer(serverOptions({ limits: { compliance_zip_bytes: 500 } }, stores))
    try {
      const answer = await call(server.url, 'GET', '/v1/account/compliance-package', { key: tenant.key })
      expect([answer.status, answer.body.code]).to.deep.equal([413, 'payload_too_large'])
      expect(answer.body.details).to.include({ instead: '/v1/account/export' })
    } finally {
      await server.stop()
    }
  })
})
