import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { newId } from '../../../core/kernel/ids.ts'
import { hashJson } from '../../../core/kernel/json/json.ts'
import { sweepNamed } from '../../support/workflows/chores.ts'
import { givenJob } from '../../support/db/given.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { givenApiTenant, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { sendSql } from '../../support/db/send-sql.ts'

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

describe('control center', function () {
  // On a busy machine each slow check of a schema takes several seconds.
  this.timeout(240_000)
  // Calls are repeated here for as long as something lasts.
  const api = useApi({ limits: { probes_per_ip_minute: 1e6 } })
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
      const [row] = await sendSql<{ row: string }>(
        api.server.services.db,
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
      expect(bare.body.receipt.input_hash).to.equal(hashJson({}))
      const rows = await sendSql<{ content: object }>(
        api.server.services.db,
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

    it('leave nothing sensitive behind in their source, their links and their metadata', async () => {
      const answer = await send({
        source_id: 'jane@example.com',
        payload: { card: 4111111111111111, login: { password: 'hunter2' } },
        provider: 'of jane@example.com',
        links: { trace_id: 'sk-proj-0123456789abcdefABCDEF' },
      })
      expect(answer.status, answer.text).to.equal(201)
      expect(answer.body.control_event_envelope).to.include({
        source_id: '[email]',
        redaction_result: 'redacted:api_key,card,email,secret',
      })
      const { db } = api.server.services
      const kept = await sendSql<{ text: string }>(
        db,
        `select row_to_json(e)::text as text from control_events e where tenant_id = $1
         union all select payload::text from audit_entries where tenant_id = $1`,
        [tenant.id],
      )
      const all = kept.map(({ text }) => text).join('\n')
      for (const secret of ['jane', '4111', 'hunter2', '0123456789abcdef']) expect(all).not.to.contain(secret)
    })

    it('refuse U+0000 where a text is kept as a text, and keep it in the content', async () => {
      const nul = 'a\u0000b'
      for (const [body, field] of [
        [{ ...event, source_id: nul }, 'source_id'],
        [{ ...event, provider: nul }, 'provider'],
        [{ ...event, schema_hint: nul }, 'schema_hint'],
        [{ ...event, links: { trace_id: nul } }, 'links.trace_id'],
      ] as const) {
        const refused = await send(body)
        expect([refused.status, refused.body.code], field).to.deep.equal([400, 'validation_failed'])
        expect(refused.body.details.fields[0].field).to.equal(field)
      }
      expect((await send({ ...event, payload: { text: nul } })).status).to.equal(201)
      expect((await api.call('GET', CENTER, { key: tenant.key })).status).to.equal(200)
    })

    it('cost a unit of the month each, count for their namespace, and none when they are refused', async () => {
      const { db, invocations, meter } = api.server.services
      await sendSql(db, 'update tenants set quota_override = 3 where id = $1', [tenant.id])
      await sendSql(db, `select pg_notify('svc_keys', $1)`, [tenant.id])
      expect((await send({ ...event, links: { compile_run_id: newId('cmp') } })).status).to.equal(404)
      const answers = await Promise.all(Array.from({ length: 8 }, async () => await send(event)))
      expect(answers.filter(({ status }) => status === 201)).to.have.length(3)
      const refused = answers.find(({ status }) => status !== 201)
      expect([refused?.status, refused?.body.code]).to.deep.equal([402, 'quota_exhausted'])
      expect(refused?.body.details).to.include({ used: 3, quota: 3 })
      await Promise.all([invocations.flush(), meter.flush()])
      const usage = await api.call('GET', '/v1/billing/usage', { key: tenant.key })
      expect(usage.body).to.include({ used: 3, quota: 3 })
      expect(usage.body.meters).to.include({ captured_events: 3, stored_events: 3, quota_units: 3 })
      expect(usage.body.limits).to.include({ captured_events: 3 })
      const { body } = await api.call('GET', '/v1/billing/breakdown', { key: tenant.key })
      expect(body.namespaces[0]).to.include({ namespace: 'support', captures: 3, units: 3 })
    })

    it('are bounded in size and in time, which the answer says', async () => {
      const large = await send({ ...event, payload: { text: 'x'.repeat(64 * 1024) } })
      expect([large.status, large.body.code]).to.deep.equal([413, 'payload_too_large'])
      const { db, limits, now } = api.server.services
      const kept = await send(event)
      const until = Date.parse(kept.body.persisted.kept_until)
      expect(until - Date.parse(kept.body.persisted.at)).to.equal(limits.control_event_days * 86_400_000)
      const sweep = async (receivedBefore: Date) => await sweepNamed(db, 'controlEvents', receivedBefore)
      expect(await sweep(new Date(now().getTime() - 60_000))).to.equal(0)
      expect(await sweep(new Date(now().getTime() + 1000))).to.be.at.least(1)
      const { body } = await api.call('GET', CENTER, { key: tenant.key })
      expect(body.counters.observed_events).to.equal(0)
      const verified = await api.call('POST', '/v1/receipts/verify', { body: { receipt: kept.body.receipt } })
      expect(verified.body).to.include({ verified: true })
    })

    it('are shown to a key that is bound to namespaces only within these', async () => {
      const { db, invocations } = api.server.services
      await send(event)
      await send({ ...event, source_id: 'shop', namespace: 'sales' })
      await invocations.flush()
      const scopes = ['control:read', 'billing:read', 'namespace:support']
      const { key } = await givenKey(db, { tenantId: tenant.id, scopes })
      const { body } = await api.call('GET', CENTER, { key })
      expect(body.counters.observed_events).to.equal(1)
      expect(body.sources.map((source: { namespace: string }) => source.namespace)).to.deep.equal(['support'])
      const breakdown = await api.call('GET', '/v1/billing/breakdown', { key })
      expect(breakdown.body.namespaces.map((one: { namespace: string }) => one.namespace)).to.deep.equal(['support'])
      expect(breakdown.body.totals).to.include({ captures: 1 })
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

    it('lose what the redaction map of their manifest names, whether or not they fit it', async () => {
      await validate({ manifest: MANIFEST })
      const adapter_manifest = { adapter_id: 'crm-bridge', adapter_version: '1.0.0' }
      for (const prompt of ['nothing that looks like anything', { text: 'nor this' }]) {
        const sent = await send({ ...event, payload: { prompt, note: 'kept' }, adapter_manifest })
        expect(sent.body.control_event_envelope.redaction_result).to.equal('redacted:pii')
      }
      const rows = await sendSql<{ content: object }>(
        api.server.services.db,
        'select content from control_events where tenant_id = $1',
        [tenant.id],
      )
      for (const { content } of rows) expect(content).to.deep.equal({ prompt: '[pii]', note: 'kept' })
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

    it('do not let what was redacted be guessed from their digest', async () => {
      const given = (mail: string) => ({
        ...MANIFEST,
        redaction_map: { prompt: 'pii', from: 'pii' },
        test_fixture: { prompt: 'hello', from: mail },
      })
      const first = await validate({ manifest: given('jane@example.com') })
      const second = await validate({ manifest: given('joan@example.com') })
      const hashOf = (answer: Answer) => answer.body.adapter_manifest_validation.manifest_hash
      expect(hashOf(first))
        .to.match(/^sha256:/)
        .and.equal(hashOf(second))
    })

    it('are kept in a number that has an end', async () => {
      const { db } = api.server.services
      const most = api.server.services.limits.adapter_manifests_per_tenant
      await sendSql(
        db,
        `insert into adapter_manifests (id, tenant_id, adapter_id, version, hash, manifest, report, created_at)
         select 'adm_' || n || $1, $1, 'many', n::text, '', '{}', '{}', now() from generate_series(1, $2::int) n`,
        [tenant.id, most],
      )
      const refused = await validate({ manifest: MANIFEST })
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'limit_reached'])
    })

    describe('whose schema was made to do harm', () => {
      const alternatives = (depth: number) => ({
        $ref: '#/definitions/d0',
        definitions: Object.fromEntries(
          Array.from({ length: depth }, (_, at) => [
            `d${at}`,
            at === depth - 1
              ? { type: 'integer' }
              : { anyOf: [{ $ref: `#/definitions/d${at + 1}` }, { $ref: `#/definitions/d${at + 1}` }] },
          ]),
        ),
      })
      const node = { anyOf: [0, 1].map(() => ({ required: ['a'], properties: { a: { $ref: '#/definitions/node' } } })) }
      const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) })
      it('keeps no other tenant waiting, however many checks of one are under way', async () => {
        const slow = { ...MANIFEST, redaction_map: {}, input_schema: alternatives(40), test_fixture: 'a text' }
        const other = await givenApiTenant(api)
        let isAnswered = false
        const flood = Array.from({ length: 20 }, async () => {
          const answers: Answer[] = []
          while (!isAnswered || answers.length === 0) {
            const one = await validate({ manifest: slow })
            answers.push(one)
            if (one.status === 503) await sleep(50)
          }
          return answers
        })
        // The places of the one tenant are taken; they are taken again for as long as the other one waits.
        const answer = await api.call('POST', `${CENTER}/adapter-manifests/validate`, {
          key: other.key,
          body: { manifest: MANIFEST },
        })
        isAnswered = true
        expect(answer.status, answer.text).to.equal(200)
        const refused = (await Promise.all(flood)).flat().filter(({ status }) => status === 503)
        expect(refused).not.to.have.length(0)
        expect(refused[0]?.body.code).to.equal('busy')
        expect(refused[0]?.headers.get('retry-after')).to.equal('2')
      })

      for (const [what, input_schema, test_fixture] of [
        ['answers a promise that rejects', { $async: true, type: 'object', required: ['z'] }, {}],
        ['doubles with each definition', alternatives(40), 'a text'],
        ['doubles with each level of the value', { ...node, definitions: { node } }, nested(50)],
        ['leads to itself', { $ref: '#' }, {}],
        [
          'compares all with all',
          { type: 'array', uniqueItems: true },
          // Texts of one length that differ in their last letters.
          Array.from({ length: 9000 }, (_, n) => ({ n: `${'a'.repeat(90)}${10_000 + n}` })),
        ],
        [
          'has a pattern that backtracks',
          { type: 'object', properties: { prompt: { pattern: '^(a+)+$' } } },
          { prompt: `${'a'.repeat(5000)}!` },
        ],
      ] as const) {
        it(`is refused in good time, and delays no other call: it ${what}`, async () => {
          let isOver = false
          const validation = validate({ manifest: { ...MANIFEST, redaction_map: {}, input_schema, test_fixture } })
          const answered = validation.finally(() => {
            isOver = true
          })
          let answeredMeanwhile = 0
          while (!isOver) {
            const health = await api.call('GET', '/v1/gateway/health')
            expect(health.status).to.equal(200)
            if (!isOver) answeredMeanwhile++
          }
          const answer = await answered
          expect([answer.status, answer.body.code], answer.text.slice(0, 300)).to.deep.equal([422, 'manifest_invalid'])
          // A check that takes all of its time does so beside the event loop.
          if (answer.text.includes('takes longer than')) expect(answeredMeanwhile).to.be.greaterThan(0)
        })
      }
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
      expect(declared.body).to.include({ state: 'declared', delivery: 'none' })
      expect(ledger).to.include({
        status: 'declared_not_delivered',
        redaction_result: 'redacted:email',
        payload_sha256: hashJson({ namespace: 'support', by: '[email]' }),
      })
      expect(declared.text).not.to.contain('jane@example.com')
      const listed = await api.call('GET', path, { key: tenant.key })
      expect([listed.body.total, listed.body.exports[0].export_id]).to.deep.equal([1, id])
      expect((await api.call('GET', `${path}/${id}`, { key: tenant.key })).body.delivery_ledger).to.deep.equal(ledger)
      expect((await api.call('GET', `${path}/${newId('dcl')}`, { key: tenant.key })).status).to.equal(404)
      await expectAudited(opOf(), 'control.export_declared', id)
    })

    it('are kept in a number that has an end', async () => {
      const { db, limits } = api.server.services
      await sendSql(
        db,
        `insert into export_declarations (id, tenant_id, destination_id, destination_class, state, ledger, created_at)
         select 'dcl_' || n || $1, $1, 'dwh', 'warehouse', 'declared', '{}', now() from generate_series(1, $2::int) n`,
        [tenant.id, limits.declared_exports_per_tenant],
      )
      const refused = await api.call('POST', `${CENTER}/exports`, { key: tenant.key, body: declaration })
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'limit_reached'])
    })

    it('name what is missing', async () => {
      const { processor: _processor, payload: _payload, ...without } = declaration
      const answer = await api.call('POST', `${CENTER}/exports`, { key: tenant.key, body: without })
      expect([answer.status, answer.body.code]).to.deep.equal([422, 'missing_export_declarations'])
      expect(answer.body.details.delivery_ledger.required_declarations.missing).to.deep.equal(['processor', 'payload'])
      for (const value of [{}, [], 7, ' ', 'a\u0000b']) {
        const wrong = await api.call('POST', `${CENTER}/exports`, {
          key: tenant.key,
          body: { ...declaration, export_mode: value },
        })
        expect([wrong.status, wrong.body.code], JSON.stringify(value)).to.deep.equal([
          422,
          'missing_export_declarations',
        ])
      }
    })
  })
})
