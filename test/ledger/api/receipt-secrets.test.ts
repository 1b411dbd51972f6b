import { expect } from 'chai'
import { createSigningKey } from '../../../core/ledger/keys/signing-key.ts'
import { signRunReceipt } from '../../../core/ledger/receipts/run-receipt.ts'
import { hashJson } from '../../../core/kernel/json/json.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'

describe('receipt secrets', () => {
  const api = useApi()

  it('are rotated and pruned, the current one never', async () => {
    const { key } = await givenApiTenant(api)
    const ring = async () => (await api.call('GET', '/v1/account/receipt-secrets', { key })).body
    const first = (await ring()).current.key_id
    const rotated = await api.call('POST', '/v1/account/rotate-receipt-secret', { key })
    expect(rotated.body).to.include({ ok: true, previous_count: 1 })
    const prune = async (id: string) =>
      await api.call('POST', '/v1/account/receipt-secret/prune', { key, body: { key_id: id } })
    expect((await prune(rotated.body.key_id)).status).to.equal(409)
    expect((await prune('unknown-key-id')).body.code).to.equal('unknown_receipt_key')
    const other = await givenApiTenant(api)
    const foreign = await api.call('POST', '/v1/account/receipt-secret/prune', {
      key: other.key,
      body: { key_id: first },
    })
    expect(foreign.status).to.equal(400)
    expect((await prune(first)).body).to.include({ ok: true, pruned: first, remaining_count: 1 })
    const after = await ring()
    expect(after.current.key_id).to.equal(rotated.body.key_id)
    expect([after.previous, after.total, after.pruned[0].key_id]).to.deep.equal([[], 1, first])
  })
})

describe('receipts over a ring of secrets', () => {
  const api = useApi({ limits: { receipt_secrets_per_tenant: 4 } })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const receive = async (): Promise<Readonly<Record<string, unknown>>> => {
    const body = { payload: { note: 'something happened' } }
    const answer = await api.call('POST', '/v1/account/api-control-center/events', { key: tenant.key, body })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.receipt
  }
  const rotate = async () => await api.call('POST', '/v1/account/rotate-receipt-secret', { key: tenant.key })
  const verify = async (receipt: unknown) => {
    const { status, body } = await api.call('POST', '/v1/receipts/verify', { body: { receipt } })
    return [status, body.code ?? 'ok']
  }

  it('are made with the new secret at once, and verify by the old one until that is pruned', async () => {
    const old = await receive()
    for (let i = 0; i < 3; i++) {
      const { body } = await rotate()
      expect(await receive()).to.include({ key_id: body.key_id })
    }
    expect(await verify(old)).to.deep.equal([200, 'ok'])
    const full = await rotate()
    expect([full.status, full.body.code]).to.deep.equal([409, 'too_many_keys'])
    const pruned = await api.call('POST', '/v1/account/receipt-secret/prune', {
      key: tenant.key,
      body: { key_id: old['key_id'] },
    })
    expect(pruned.status, pruned.text).to.equal(200)
    expect(await verify(old)).to.deep.equal([410, 'receipt_secret_rotated'])
    expect(await verify(await receive())).to.deep.equal([200, 'ok'])
    expect((await rotate()).status).to.equal(200)
  })

  it('are not accepted when the caller chose the secret', async () => {
    const genuine = await receive()
    const keyId = String(genuine['key_id'])
    const stranger = await givenApiTenant(api)
    const { body } = await api.call('GET', '/v1/account/receipt-secrets', { key: stranger.key })
    expect(await verify({ ...genuine, key_id: body.current.key_id })).to.deep.equal([409, 'signature_mismatch'])
    const facts = {
      inputHash: hashJson('in'),
      outputHash: hashJson('out'),
      versionId: 'ver_of_my_own',
      runtimeVersion: '1.0.0',
      issuedAt: new Date(),
    }
    const signingKey = createSigningKey()
    for (const secret of ['', '\0'.repeat(32), 'secret', 'changeme', keyId, tenant.id]) {
      const forged = signRunReceipt(facts, { macKey: { keyId, secret }, signingKey })
      expect(await verify({ ...forged, kid: genuine['kid'] }), secret).to.deep.equal([409, 'signature_mismatch'])
    }
  })
})
