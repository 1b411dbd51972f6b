import { expect } from 'chai'
import { newId } from '../../../core/ids.ts'
import { givenJob } from '../../db/given.ts'
import { expectAudited } from '../../support/audit.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { setUpOperation } from '../../support/people/given-members.ts'

const CENTER = '/v1/account/api-control-center'
const MANIFEST = {
  adapter_id: 'crm-bridge',
  adapter_version: '1.0.0',
  channel_family: 'webhooks',
  direction: 'ingress',
  input_schema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  output_schema: { type: 'object', properties: { answer: { type: 'string' } } },
  redaction_map: { prompt: 'pii' },
  egress_destinations: ['tenant-lake'],
  test_fixture: { prompt: 'hello' },
}

describe('control center', () => {
  const api = useApi()
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const send = async (body: unknown, key = tenant.key) => await api.call('POST', `${CENTER}/events`, { key, body })
  const validate = async (body: unknown) =>
    await api.call('POST', `${CENTER}/adapter-manifests/validate`, { key: tenant.key, body })
  const opOf = () => setUpOperation(api.server.services.db, tenant.id)

  describe('events', () => {
    const event = {
      source_id: 'crm',
      channel_family: 'webhooks',
      direction: 'ingress',
      namespace: 'support',
      payload: { text: 'Ticket 42 of jane@example.com was closed' },
    }

    it('are redacted before anything is kept, and answered with a receipt that can be verified', async () => {
      const answer = await send(event)
      expect(answer.status, answer.text).to.equal(201)
      const { control_event_envelope: envelope, receipt, observation_id: id } = answer.body
      expect(envelope).to.include({
        event_id: id,
        tenant_id: tenant.id,
        source_id: 'crm',
        namespace: 'support',
        schema_status: 'opaque',
        redaction_result: 'redacted:email',
        secret_values_included: false,
      })
      expect(envelope.required_field_status.missing).to.deep.equal(['payload_policy'])
      expect(answer.headers.get('x-svc-receipt-id')).to.equal(envelope.receipt_id)
      const verified = await api.call('POST', '/v1/receipts/verify', { body: { receipt } })
      expect(verified.body, verified.text).to.include({ verified: true })
      const [row] = await api.server.services.db.query<{ row: string }>(
        'select row_to_json(e)::text as row from control_events e where id = $1',
        [id],
      )
      expect(row?.row).to.contain('Ticket 42 of [email]').and.not.contain('jane@example.com')
      await expectAudited(opOf(), 'control.event_received', id)
      const { body } = await api.call('GET', CENTER, { key: tenant.key })
      expect(body.counters.observed_events).to.equal(1)
      expect(body.sources[0]).to.include({
        source_id: 'crm',
        namespace: 'support',
        channel_family: 'webhooks',
        events: 1,
      })
    })

    it('are both sides of a call, or anything else; nothing is refused', async () => {
      const call = await send({ prompt: 'hi', response: 'hello', model: 'm', latency_ms: 12 })
      expect(call.body.control_event_envelope).to.include({
        channel_family: 'rest-json',
        payload_policy: 'metadata-and-redacted-body',
      })
      const generic = await send({ data: ['anything'] })
      expect(generic.body.control_event_envelope).to.include({ channel_family: 'custom-adapter' })
      for (const body of [{}, { prompt: 'only one side' }, { payload: null }]) {
        expect((await send(body)).status, JSON.stringify(body)).to.equal(400)
      }
      expect((await send({ ...event, channel_family: 'pigeon' })).status).to.equal(400)
    })

    it('go to the namespaces that the key is for, and to no other', async () => {
      const { db } = api.server.services
      const { key } = await givenKey(db, { tenantId: tenant.id, scopes: ['control:write', 'namespace:support'] })
      expect((await send(event, key)).status).to.equal(201)
      for (const namespace of ['sales', undefined]) {
        const refused = await send({ ...event, namespace }, key)
        expect([refused.status, refused.body.code]).to.deep.equal([403, 'insufficient_scope'])
      }
    })

    it('keep as much as the source wants, and are refused when it wants that', async () => {
      const secret = { ...event, payload: { card: '4111 1111 1111 1111' } }
      const refused = await send({ ...secret, payload_policy: 'refuse-sensitive' })
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'privacy_policy_blocked'])
      expect(refused.body.details.blocked_classes).to.deep.equal(['card'])
      const bare = await send({ ...secret, payload_policy: 'metadata-only' })
      expect(bare.body.persisted.content_kept).to.equal(false)
      const rows = await api.server.services.db.query<{ content: object }>(
        'select content from control_events where tenant_id = $1',
        [tenant.id],
      )
      expect(rows.map(({ content }) => content)).to.deep.equal([{}])
    })

    it('are linked with what the tenant has', async () => {
      const { job } = await givenJob(opOf())
      const linked = await send({ ...event, links: { compile_run_id: job.id, trace_id: 'abc' } })
      expect(linked.body.control_event_envelope.optional_links).to.deep.equal({
        compile_run_id: job.id,
        trace_id: 'abc',
      })
      const other = await givenApiTenant(api)
      const foreign = await send({ ...event, links: { compile_run_id: job.id } }, other.key)
      expect([foreign.status, foreign.body.code]).to.deep.equal([404, 'not_found'])
    })

    it('are what their manifest says only when that was found valid and they fit it', async () => {
      const adapter_manifest = { adapter_id: 'crm-bridge', adapter_version: '1.0.0' }
      const status = async (payload: unknown) =>
        (await send({ ...event, payload, adapter_manifest })).body.control_event_envelope.schema_status
      expect(await status({ prompt: 'hi' })).to.equal('schema-hinted')
      await validate({ manifest: MANIFEST })
      expect(await status({ prompt: 'hi' })).to.equal('manifest-declared')
      expect(await status({ prompt: 7 })).to.equal('schema-hinted')
    })
  })

  describe('adapter manifests', () => {
    it('are checked, kept and never changed', async () => {
      const answer = await validate({ manifest: MANIFEST })
      expect(answer.status, answer.text).to.equal(200)
      const report = answer.body.adapter_manifest_validation
      expect(report).to.include({ ok: true, adapter_state: 'manifest-declared' })
      expect(report.fixture_redaction).to.deep.equal({ result: 'redacted:pii', classes: ['pii'] })
      expect(report.normalized_manifest.input_fields).to.deep.equal(['prompt'])
      const verified = await api.call('POST', '/v1/receipts/verify', { body: { receipt: report.receipt } })
      expect(verified.body, verified.text).to.include({ verified: true })
      await expectAudited(opOf(), 'control.manifest_validated', report.manifest_id)
      // As it is, without the wrapping, it is the same one.
      expect((await validate(MANIFEST)).body.adapter_manifest_validation.manifest_id).to.equal(report.manifest_id)
      const changed = await validate({ ...MANIFEST, egress_destinations: [] })
      expect([changed.status, changed.body.code]).to.deep.equal([409, 'duplicate'])
    })

    it('are refused with everything that is wrong', async () => {
      const { test_fixture: _fixture, ...without } = MANIFEST
      const missing = await validate({ manifest: without })
      expect([missing.status, missing.body.code]).to.deep.equal([422, 'manifest_invalid'])
      expect(missing.body.details.adapter_manifest_validation.required_evidence.missing).to.deep.equal(['test_fixture'])
      for (const [change, field] of [
        [{ input_schema: { type: 'nonsense' } }, 'input_schema'],
        [{ input_schema: { $ref: 'https://example.com/schema.json' } }, 'input_schema'],
        [{ test_fixture: { prompt: 7 } }, 'test_fixture'],
        [{ test_fixture: { prompt: 'x', from: 'jane@example.com' } }, 'redaction_map'],
        [{ channel_family: 'pigeon' }, 'channel_family'],
        [{ egress_destinations: 'everywhere' }, 'egress_destinations'],
      ] as const) {
        const answer = await validate({ manifest: { ...MANIFEST, ...change } })
        expect([answer.status, answer.body.code], field).to.deep.equal([422, 'manifest_invalid'])
        expect(answer.body.details.fields.map((problem: { field: string }) => problem.field)).to.include(field)
      }
    })

    it('cannot make the service think for long', async () => {
      const input_schema = { type: 'object', properties: { prompt: { type: 'string', pattern: '^(a+)+$' } } }
      const startedAt = performance.now()
      const answer = await validate({
        manifest: { ...MANIFEST, input_schema, test_fixture: { prompt: `${'a'.repeat(5000)}!` } },
      })
      expect(answer.status).to.equal(422)
      expect(performance.now() - startedAt).to.be.lessThan(20_000)
    })
  })

  describe('exports', () => {
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
      const declared = await api.call('POST', path, { key: tenant.key, body: declaration })
      expect(declared.status, declared.text).to.equal(201)
      const { export_id: id, delivery_ledger: ledger } = declared.body
      expect(ledger).to.include({ status: 'declared_not_delivered', redaction_result: 'redacted:email' })
      expect(declared.text).not.to.contain('jane@example.com')
      const listed = await api.call('GET', path, { key: tenant.key })
      expect([listed.body.total, listed.body.exports[0].export_id]).to.deep.equal([1, id])
      expect((await api.call('GET', `${path}/${id}`, { key: tenant.key })).body.delivery_ledger).to.deep.equal(ledger)
      expect((await api.call('GET', `${path}/${newId('dcl')}`, { key: tenant.key })).status).to.equal(404)
      await expectAudited(opOf(), 'control.export_declared', id)
    })

    it('name what is missing', async () => {
      const { processor: _processor, payload: _payload, ...without } = declaration
      const answer = await api.call('POST', `${CENTER}/exports`, { key: tenant.key, body: without })
      expect([answer.status, answer.body.code]).to.deep.equal([422, 'missing_export_declarations'])
      expect(answer.body.details.delivery_ledger.required_declarations.missing).to.deep.equal(['processor', 'payload'])
    })
  })
})
