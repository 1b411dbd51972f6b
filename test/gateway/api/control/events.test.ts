import { expect } from 'chai'
import { newId } from '../../../../core/kernel/ids.ts'
import { hashJson } from '../../../../core/kernel/json/json.ts'
import { sweepNamed } from '../../../support/workflows/chores.ts'
import { givenJob } from '../../../support/db/given.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { givenApiTenant } from '../../../support/api.ts'
import { givenKey } from '../../../support/people/given-keys.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { CENTER, MANIFEST, useControlCenter } from './control-center.ts'

describe('events of the control center', function () {
  // On a busy machine each slow check of a schema takes several seconds.
  this.timeout(240_000)
  const { api, tenant, operation, send, validate } = useControlCenter()
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
      tenant_id: tenant().id,
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
    await expectAudited(operation(), 'control.event_received', id)
    const { body } = await api.call('GET', CENTER, { key: tenant().key })
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
    const { key } = await givenKey(db, { tenantId: tenant().id, scopes: ['control:write', 'namespace:support'] })
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
    expect(refused.body.details.blocked_classes).to.deep.equal(['payment_card'])
    const bare = await send({ ...secret, payload_policy: 'metadata-only' })
    expect(bare.body.persisted.content_kept).to.equal(false)
    expect(bare.body.receipt.input_hash).to.equal(hashJson({}))
    const rows = await sendSql<{ content: object }>(
      api.server.services.db,
      'select content from control_events where tenant_id = $1',
      [tenant().id],
    )
    expect(rows.map(({ content }) => content)).to.deep.equal([{}])
  })

  it('are linked with what the tenant has', async () => {
    const { job } = await givenJob(operation())
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
      redaction_result: 'redacted:api_key,email,payment_card',
    })
    const { db } = api.server.services
    const kept = await sendSql<{ text: string }>(
      db,
      `select row_to_json(e)::text as text from control_events e where tenant_id = $1
       union all select payload::text from audit_entries where tenant_id = $1`,
      [tenant().id],
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
    expect((await api.call('GET', CENTER, { key: tenant().key })).status).to.equal(200)
  })

  it('cost a unit of the month each, count for their namespace, and none when they are refused', async () => {
    const { db, invocations, meter } = api.server.services
    await sendSql(db, 'update tenants set quota_override = 3 where id = $1', [tenant().id])
    await sendSql(db, `select pg_notify('svc_keys', $1)`, [tenant().id])
    expect((await send({ ...event, links: { compile_run_id: newId('cmp') } })).status).to.equal(404)
    const answers = await Promise.all(Array.from({ length: 8 }, async () => await send(event)))
    expect(answers.filter(({ status }) => status === 201)).to.have.length(3)
    const refused = answers.find(({ status }) => status !== 201)
    expect([refused?.status, refused?.body.code]).to.deep.equal([402, 'quota_exhausted'])
    expect(refused?.body.details).to.include({ used: 3, quota: 3 })
    await Promise.all([invocations.flush(), meter.flush()])
    const usage = await api.call('GET', '/v1/billing/usage', { key: tenant().key })
    expect(usage.body).to.include({ used: 3, quota: 3 })
    expect(usage.body.meters).to.include({ captured_events: 3, stored_events: 3, quota_units: 3 })
    expect(usage.body.limits).to.include({ captured_events: 3 })
    const { body } = await api.call('GET', '/v1/billing/breakdown', { key: tenant().key })
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
    const { body } = await api.call('GET', CENTER, { key: tenant().key })
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
    const { key } = await givenKey(db, { tenantId: tenant().id, scopes })
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
      [tenant().id],
    )
    for (const { content } of rows) expect(content).to.deep.equal({ prompt: '[pii]', note: 'kept' })
  })
})
