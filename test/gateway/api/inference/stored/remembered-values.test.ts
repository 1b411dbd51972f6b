import { expect } from 'chai'
import OpenAI from 'openai'
import { referenceKey } from '../../../../../core/gateway/record/seal-by-id.ts'
import { givenApiTenant, type ApiTenant } from '../../../../support/api.ts'
import { sendSql } from '../../../../support/db/send-sql.ts'
import { eventually } from '../../../../support/wire/eventually.ts'
import { MODELS, thrownBy, useGateway } from '../given-gateway.ts'

describe('values behind the placeholders of responses', () => {
  const KEPT_BYTES = 4000
  const gateway = useGateway({ gateway_kept_response_bytes: KEPT_BYTES, capture_commit_s: 0.2 })
  const { openai: model, anthropic } = MODELS
  let tenant: ApiTenant
  let client: OpenAI
  beforeEach(async () => {
    gateway.answer({ texts: ['ok'] })
    tenant = await givenApiTenant(gateway.api)
    client = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: tenant.key, maxRetries: 0 })
  })
  const settle = async (body: object) =>
    await gateway.api.call('PUT', '/v1/gateway/namespaces/default', { key: tenant.key, body })
  const inputSent = () => JSON.parse(gateway.server('openai').bodies.at(-1) ?? '').input
  const rows = async () =>
    await sendSql<{ key: Buffer; content: Buffer | null }>(
      gateway.api.server.services.db,
      'select key, content from response_references where tenant_id = $1',
      [tenant.id],
    )
  const refused = async (call: Promise<unknown>, code: string) =>
    expect(await thrownBy(call))
      .to.be.instanceOf(OpenAI.BadRequestError)
      .and.include({ code })
  const goOn = async (id: string, email: string, headers = {}) =>
    await client.responses.create({ model, input: `Repeat ${email}`, previous_response_id: id }, { headers })

  it('are kept once for a response, and not where they are too long: none then stands for two', async () => {
    const first = await client.responses.create({ model, input: 'Repeat ada@example.org' })
    const [row, item] = ['resp', 'msg'].map((kind) => {
      const id = kind === 'resp' ? first.id : (first.output[0]?.id ?? '')
      return async () => (await rows()).find(({ key }) => key.equals(referenceKey(id)))?.content
    })
    expect(String(await row?.())).not.to.equal('null')
    // An item holds the id of its response alone.
    expect((await item?.())?.length).to.equal(12 + 16 + JSON.stringify(first.id).length)
    const many = Array.from({ length: 200 }, (_one, i) => `ada${i}@example.org`).join(' ')
    const long = await client.responses.create({ model, input: `Repeat ${many}` })
    for (const { content } of await rows()) expect(content?.length ?? 0).to.be.lessThan(KEPT_BYTES)
    const next = await goOn(long.id, 'bob@example.org')
    expect(inputSent()).to.match(/^Repeat VAR_EMAIL_[A-Z]{8}_1$/)
    expect(next.output_text).to.equal('Repeat bob@example.org')
    await goOn(next.id, 'eve@example.org')
    expect(inputSent()).to.match(/^Repeat VAR_EMAIL_[A-Z]{8}_1$/)
  })

  it('are not kept where the namespace keeps no content; with captures off nothing is remembered', async () => {
    await settle({ capture_mode: 'metadata_only' })
    const first = await client.responses.create({ model, input: 'Repeat ada@example.org' })
    for (const { content } of await rows()) expect(content).to.equal(null)
    expect((await client.responses.retrieve(first.id)).output_text).to.equal('Repeat VAR_EMAIL_1')
    expect((await goOn(first.id, 'bob@example.org')).output_text).to.equal('Repeat bob@example.org')
    expect(inputSent()).not.to.contain('VAR_EMAIL_1')
    await settle({ capture_mode: 'off' })
    const before = (await rows()).length
    const { id } = await client.responses.create({ model, input: 'Repeat ada@example.org' })
    expect(await rows()).to.have.length(before)
    await refused(goOn(id, 'bob@example.org'), 'not_translatable')
  })

  it('are never those of another call, with a key of the caller’s own and for answers of separate conversations', async () => {
    const headers = { 'x-upstream-api-key': gateway.server('openai').apiKey }
    const own = await client.responses.create({ model, input: 'Repeat ada@example.org' }, { headers })
    expect(await rows()).to.have.length(0)
    expect((await goOn(own.id, 'bob@example.org', headers)).output_text).to.equal('Repeat bob@example.org')
    expect(inputSent()).to.match(/^Repeat VAR_EMAIL_[A-Z]{8}_1$/)
    const reference = async (email: string) => {
      const { output } = await client.responses.create({ model, input: `Repeat ${email}` })
      return { type: 'item_reference' as const, id: output[0]?.id ?? '' }
    }
    const [ada, again, bob] = [
      await reference('ada@example.org'),
      await reference('ada@example.org'),
      await reference('bob@example.org'),
    ]
    await refused(client.responses.create({ model, input: [ada, bob] }), 'not_translatable')
    const { output_text: said } = await client.responses.create({
      model,
      input: [ada, again, { role: 'user', content: 'Repeat bob@example.org' }],
    })
    expect([said, inputSent().at(-1).content]).to.deep.equal(['Repeat bob@example.org', 'Repeat VAR_EMAIL_2'])
  })

  it('stay with their provider where an answer continues what it keeps: that is never cached', async () => {
    await settle({ cache_mode: 'exact' })
    const first = await client.responses.create({ model, input: 'Repeat ada@example.org' })
    const ask = async () => await client.responses.create({ model, input: 'x', previous_response_id: first.id })
    for (const { id } of [await ask(), await ask()]) {
      expect(id).not.to.match(/^resp_svc/)
      const { data } = await goOn(id, 'bob@example.org').then(
        async (next) => await client.responses.inputItems.list(next.id),
      )
      expect(JSON.stringify(data)).to.contain('Repeat ada@example.org')
    }
  })

  it('are not given twice in a conversation that OpenAI keeps, which is never cached', async () => {
    await settle({ cache_mode: 'exact' })
    const headers = { 'x-upstream-api-key': gateway.server('openai').apiKey }
    const inputs: string[] = []
    for (const conversation of ['conv_1', { id: 'conv_1' }, 'conv_1']) {
      const asked = { model, input: 'Repeat ada@example.org', conversation }
      const { output_text: said } = await client.responses.create(asked, { headers })
      expect(said).to.equal('Repeat ada@example.org')
      inputs.push(inputSent())
    }
    expect(new Set(inputs)).to.have.property('size', 3)
    for (const input of inputs) expect(input).to.match(/^Repeat VAR_EMAIL_[A-UW-Z]{8}_1$/)
  })

  it('are put in place of ids up to a bound, however often one id stands there', async () => {
    const first = await client.responses.create({ model: anthropic, input: 'x '.repeat(1000) })
    const [item] = await client.responses.inputItems.list(first.id).then(({ data }) => data)
    const times = (count: number) =>
      Array.from({ length: count }, () => ({ type: 'item_reference' as const, id: item?.id ?? '' }))
    const asked = async (count: number) =>
      await client.responses.create({ model: anthropic, input: times(count), store: false })
    expect((await asked(8)).output_text).to.equal('ok')
    await refused(asked(64), 'validation_failed')
    const ids: string[] = []
    for (let i = 0; i < 20; i++) {
      const { output } = await client.responses.create({ model: anthropic, input: 'y '.repeat(1500) })
      ids.push(output[0]?.id ?? '')
    }
    const input = ids.map((id) => ({ type: 'item_reference' as const, id: id.replace(/_\d+$/, '_i0') }))
    await refused(client.responses.create({ model: anthropic, input }), 'validation_failed')
    const said = async (references: typeof input) =>
      (await client.responses.create({ model: anthropic, input: [{ role: 'user', content: 'x' }, ...references] }))
        .output_text
    expect(await said(input.slice(0, 8))).to.equal('ok')
    // What was asked does not count where the answers alone are named.
    expect(await said(ids.map((id) => ({ type: 'item_reference' as const, id })))).to.equal('ok')
  })

  it('are known in a long conversation, each response of which has those before it', async () => {
    const references: OpenAI.Responses.ResponseInputItem[] = []
    let previous: string | undefined
    const ask = async (input: OpenAI.Responses.ResponseInput | string) =>
      await client.responses.create({ model, input, ...(previous !== undefined && { previous_response_id: previous }) })
    for (let i = 0; i < 40; i++) {
      const { id, output } = await ask(`Repeat person${i}@example.org`)
      references.push({ type: 'item_reference', id: output[0]?.id ?? '' })
      previous = id
    }
    previous = undefined
    const said = await ask([...references, { role: 'user', content: 'Repeat person7@example.org and new@example.org' }])
    expect(said.output_text).to.equal('Repeat person7@example.org and new@example.org')
    expect(inputSent().at(-1).content).to.equal('Repeat VAR_EMAIL_8 and VAR_EMAIL_41')
  })

  it('are promised to be kept by the end of an answer alone, and only where it is', async () => {
    const promised = async (input: string) => {
      const asked = { model: anthropic, input }
      const whole = await client.responses.create(asked)
      const streamed = await client.responses.stream(asked).finalResponse()
      return await Promise.all(
        [whole, streamed].map(async (answer) => {
          const found = await client.responses.retrieve(answer.id).catch(() => null)
          return ['store' in answer && answer.store, found !== null]
        }),
      )
    }
    const [kept, not] = [
      [true, true],
      [false, false],
    ]
    expect(await promised('x')).to.deep.equal([kept, kept])
    expect(await promised('x'.repeat(KEPT_BYTES))).to.deep.equal([not, not])
    expect(await promised('"'.repeat(KEPT_BYTES / 2))).to.deep.equal([not, not])
    const body = { confirm: true, subject: 'Marianne Oldfield' }
    const forgot = await gateway.api.call('POST', '/v1/captures/forget', { key: tenant.key, body })
    expect(forgot.status, forgot.text).to.be.lessThan(300)
    expect(await promised('x')).to.deep.equal([not, not])
  })

  it('stay in the output of an answer that is too long with what was asked: its items can be named', async () => {
    const input = 'x'.repeat(KEPT_BYTES)
    const { id, output, ...long } = await client.responses.create({ model: anthropic, input })
    expect(long).to.include({ store: false })
    const items = [
      { role: 'user' as const, content: input },
      { type: 'item_reference' as const, id: output[0]?.id ?? '' },
      { role: 'user' as const, content: 'And now?' },
    ]
    expect((await client.responses.create({ model: anthropic, input: items, store: false })).output_text).to.equal('ok')
    expect(gateway.lastCall('anthropic').messages.map(({ text }) => text)).to.deep.equal([input, 'ok', 'And now?'])
    await refused(
      client.responses.create({ model: anthropic, input: 'x', previous_response_id: id }),
      'not_translatable',
    )
    await client.responses.delete(id)
    expect(await rows()).to.have.length(0)
  })

  it('go with the response when it is deleted, items included, also where OpenAI has dropped it before', async () => {
    for (const isDropped of [false, true]) {
      const { id } = await client.responses.create({ model, input: 'Repeat ada@example.org' })
      expect(await rows()).to.have.length(2)
      const { baseUrl, apiKey } = gateway.server('openai')
      if (isDropped) await new OpenAI({ baseURL: baseUrl, apiKey }).responses.delete(id)
      const error = await thrownBy(client.responses.delete(id))
      if (isDropped) expect(error).to.be.instanceOf(OpenAI.NotFoundError)
      else expect(error).to.equal(undefined)
      expect(await rows()).to.have.length(0)
    }
  })

  it('are not kept of an answer that began before a text was forgotten; its conversation goes on at OpenAI', async () => {
    const body = { confirm: true, subject: 'Marianne Oldfield' }
    const forgot = await gateway.api.call('POST', '/v1/captures/forget', { key: tenant.key, body })
    expect(forgot.status, forgot.text).to.be.lessThan(300)
    // Within the time by which the clocks of two servers may differ.
    const first = await client.responses.create({ model, input: 'Repeat ada@example.org' })
    const remembered = await rows()
    expect(remembered).to.have.length(2)
    for (const { content } of remembered) expect(content).to.equal(null)
    expect((await goOn(first.id, 'bob@example.org')).output_text).to.equal('Repeat bob@example.org')
    expect(inputSent()).to.match(/^Repeat VAR_EMAIL_[A-Z]{8}_1$/)
  })

  it('are not remembered of an answer under way when the capture that it continues is forgotten', async () => {
    const created = client.responses.create({ model: anthropic, input: 'Repeat ada@example.org' })
    const { data: first, response } = await created.withResponse()
    const body = { confirm: true, capture_id: response.headers.get('x-svc-capture-id') }
    const forget = async () => {
      const gone = await gateway.api.call('POST', '/v1/captures/forget', { key: tenant.key, body })
      expect(gone.status, gone.text).to.equal(200)
    }
    gateway.answer(async () => {
      await eventually(forget)
      return { texts: ['ok'] }
    })
    const next = { model: anthropic, input: 'Go on' }
    const { id } = await client.responses.create({ ...next, previous_response_id: first.id })
    expect(await rows()).to.have.length(0)
    await refused(client.responses.create({ ...next, previous_response_id: id }), 'not_translatable')
  })

  it('are not asked for at a provider that the tenant has disabled', async () => {
    const { id } = await client.responses.create({ model, input: 'x' })
    const body = { providers: { openai: { enabled: false } } }
    const changed = await gateway.api.call('POST', '/v1/gateway/providers/config', { key: tenant.key, body })
    expect(changed.status, changed.text).to.equal(200)
    const before = gateway.server('openai').bodies.length
    await refused(client.responses.retrieve(id), 'provider_disabled')
    await refused(client.responses.delete(id), 'provider_disabled')
    expect(gateway.server('openai').bodies.length).to.equal(before)
  })
})

describe('responses in an installation with a server of its own', () => {
  const gateway = useGateway({}, { gatewayMode: 'local-vllm' })

  it('are not looked for at a provider', async () => {
    const { key } = gateway.tenant()
    const headers = { 'x-upstream-api-key': gateway.server('openai').apiKey }
    const before = gateway.server('openai').bodies.length
    const { status } = await gateway.api.call('GET', '/v1/responses/resp_0123456789abcdef', { key, headers })
    expect([status, gateway.server('openai').bodies.length]).to.deep.equal([404, before])
  })
})
