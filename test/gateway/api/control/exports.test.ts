import { expect } from 'chai'
import { newId } from '../../../../core/kernel/ids.ts'
import { hashJson } from '../../../../core/kernel/json/json.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { CENTER, useControlCenter } from './control-center.ts'

describe('declared exports', () => {
  const { api, tenant, operation } = useControlCenter()
  const declaration = {
    export_mode: 'batch-export',
    destination: { id: 'dwh', type: 'warehouse' },
    destination_class: 'warehouse',
    processor: 'tenant',
    payload_class: 'captures',
    redaction_mode: 'redact',
    payload: { namespace: 'support', by: 'jane@example.com' },
  }

  it('are declared, listed and found, and what was to leave is not kept', async () => {
    const path = `${CENTER}/exports`
    const declared = await api.call('POST', path, { key: tenant().key, body: declaration })
    expect(declared.status, declared.text).to.equal(201)
    const { export_id: id, delivery_ledger: ledger } = declared.body
    expect(declared.body).to.include({ state: 'declared', delivery: 'none' })
    expect(ledger).to.include({
      status: 'declared_not_delivered',
      redaction_result: 'redacted:email',
      payload_sha256: hashJson({ namespace: 'support', by: '[email]' }),
    })
    expect(declared.text).not.to.contain('jane@example.com')
    const listed = await api.call('GET', path, { key: tenant().key })
    expect([listed.body.total, listed.body.exports[0].export_id]).to.deep.equal([1, id])
    expect((await api.call('GET', `${path}/${id}`, { key: tenant().key })).body.delivery_ledger).to.deep.equal(ledger)
    expect((await api.call('GET', `${path}/${newId('dcl')}`, { key: tenant().key })).status).to.equal(404)
    await expectAudited(operation(), 'control.export_declared', id)
  })

  it('are kept in a number that has an end', async () => {
    const { db, limits } = api.server.services
    await sendSql(
      db,
      `insert into export_declarations (id, tenant_id, destination_id, destination_class, state, ledger, created_at)
       select 'dcl_' || n || $1, $1, 'dwh', 'warehouse', 'declared', '{}', now() from generate_series(1, $2::int) n`,
      [tenant().id, limits.declared_exports_per_tenant - 1],
    )
    const last = await api.call('POST', `${CENTER}/exports`, { key: tenant().key, body: declaration })
    expect(last.status, last.text).to.equal(201)
    const refused = await api.call('POST', `${CENTER}/exports`, { key: tenant().key, body: declaration })
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'limit_reached'])
  })

  it('name what is missing', async () => {
    const { processor: _processor, payload: _payload, ...without } = declaration
    const answer = await api.call('POST', `${CENTER}/exports`, { key: tenant().key, body: without })
    expect([answer.status, answer.body.code]).to.deep.equal([422, 'missing_export_declarations'])
    expect(answer.body.details.delivery_ledger.required_declarations.missing).to.deep.equal(['processor', 'payload'])
    for (const value of [{}, [], 7, ' ', 'a\u0000b']) {
      const wrong = await api.call('POST', `${CENTER}/exports`, {
        key: tenant().key,
        body: { ...declaration, export_mode: value },
      })
      expect([wrong.status, wrong.body.code], JSON.stringify(value)).to.deep.equal([422, 'missing_export_declarations'])
    }
  })
})
