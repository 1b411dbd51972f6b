import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { signDocument } from '../../../../core/ledger/keys/sealed-document.ts'
import { createSigningKey } from '../../../../core/ledger/keys/signing-key.ts'
import { systemOperation } from '../../../../db/kernel/operation.ts'
import { type ApiTenant, givenApiTenant, NO_TEMPORAL, useApi } from '../../../support/api.ts'
import { givenProgramArtifact } from '../../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { runCli } from '../../../support/cli/run-cli.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

describe('the credential of an artifact', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  let artifactId: string

  before(async () => {
    tenant = await givenApiTenant(api)
    const op = systemOperation(database.db, { tenantId: tenant.id, name: 'test', requestId: 'test' })
    artifactId = await givenProgramArtifact(op)
  })

  const issue = async (key = tenant.key) => await api.call('GET', `/v1/artifacts/${artifactId}/credential`, { key })
  const verify = async (credential: unknown) => {
    const { status, body } = await api.call('POST', '/v1/credential/verify', { body: { credential } })
    expect(status).to.equal(200)
    return body
  }

  it('states K-score, base model and ingredients, and is valid for anyone who holds it', async () => {
    const { status, body } = await issue()
    expect(status).to.equal(200)
    const { credential } = body
    expect(credential).to.include({ spec: 'svc-credential/0.1', type: 'artifact', artifact_id: artifactId })
    expect(credential.assertions.k_score).to.be.within(0, 1)
    expect(credential.assertions).to.include({ base_model: 'none', recipe_kind: 'program', tier: 'recipe' })
    const verdict = await verify(credential)
    expect(verdict).to.deep.include({ valid: true, reasons: [], state: 'signed', artifact_id: artifactId })
    expect(verdict.checks).to.deep.equal({ hmac: true, ed25519: true, in_force: true })
  })

  it('is kept from other tenants', async () => {
    expect((await issue((await givenApiTenant(api)).key)).status).to.equal(404)
  })

  it('is invalid after any change', async () => {
    const { credential } = (await issue()).body
    const better = { ...credential, assertions: { ...credential.assertions, k_score: 1 } }
    expect((await verify({ ...better, extra: 1 })).reasons).to.deep.equal(['hmac_mismatch', 'ed25519_mismatch'])
    expect((await verify({ ...credential, key_id: 'rsec_unknown' })).reasons).to.deep.equal(['key_id_unknown'])
    expect((await verify({ ...credential, cid: 'cid' })).reasons).to.deep.equal(['malformed_field:cid'])
    expect(await verify({ spec: 'svc-credential/0.1', type: 'artifact', signature: '22' })).to.include({
      valid: false,
      spec: 'svc-credential/0.1',
      type: 'artifact',
    })
    const { signature_ed25519: _own, ...body } = credential
    const forged = signDocument(body, createSigningKey())
    expect((await verify(forged)).reasons).to.deep.equal(['signing_key_not_published'])
    const missing = await api.call('POST', '/v1/credential/verify', { body: {} })
    expect(missing.status).to.equal(400)
  })

  it('is issued and verified by svc credential', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-credential-'))
    try {
      const options = { profileDir: folder, folder, env: { SVC_URL: api.url, SVC_API_KEY: tenant.key } }
      const file = join(folder, 'credential.json')
      expect((await runCli(['credential', artifactId, '-o', file], options)).code).to.equal(0)
      const checked = await runCli(['credential', file, '--json'], options)
      expect(JSON.parse(checked.stdout)).to.include({ valid: true, state: 'signed', revocation_checked: true })
      // No key is pinned in this profile.
      expect((await runCli(['credential', file, '--offline'], options)).code).to.equal(3)
      const text = (await readFile(file, 'utf8')).replace('"tier": "recipe"', '"tier": "bundle"')
      await writeFile(file, text)
      const changed = await runCli(['credential', file, '--offline', '--json'], options)
      expect(changed.code).to.equal(1)
      expect(JSON.parse(changed.stdout).reasons).to.deep.equal(['ed25519_mismatch'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('is invalid once its artifact is revoked, and a revoked artifact gets none', async () => {
    const { credential } = (await issue()).body
    await sendSql(database.db, `update artifacts set state = 'revoked', revoked_at = now() where id = $1`, [artifactId])
    expect(await verify(credential)).to.deep.include({
      valid: false,
      reason: 'artifact_revoked',
      reasons: ['artifact_revoked'],
      state: 'revoked',
      checks: { hmac: true, ed25519: true, in_force: false },
    })
    expect((await issue()).body.code).to.equal('artifact_revoked')
  })

  it('stands beside capability blocks, which are built from known fields alone and validated with an answer', async () => {
    const post = async (path: string, body: unknown) =>
      await api.call('POST', `/v1/capability/${path}`, { key: tenant.key, body })
    const built = await post('build', { min_vram_gb: 2, runtimes: ['mlx', 'llama-cpp'], modalities: ['text'] })
    expect(built.body.block.hash).to.equal('2c672964c3e98a18')
    const valid = await post('validate', { block: built.body.block })
    expect(valid.body).to.deep.include({ ok: true, block: built.body.block })
    const changed = await post('validate', { block: { ...built.body.block, min_vram_gb: 1 } })
    expect(changed.status).to.equal(200)
    expect(changed.body).to.include({ ok: false, error: 'hash_mismatch', field: 'hash' })
    const unknown = await post('build', { min_vram_gb: 2, favourite_colour: 'blue' })
    expect(unknown.status).to.equal(400)
    expect(unknown.body.details.fields[0].field).to.equal('favourite_colour')
    const unproven = await post('build', { requires_confidential_compute: true })
    expect(unproven.body.details.fields[0].field).to.equal('attestation')
    expect((await post('validate', {})).status).to.equal(400)
  })
})
