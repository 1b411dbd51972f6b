import { expect } from 'chai'
import OpenAI from 'openai'
import { givenApiTenant, type ApiTenant } from '../../../../support/api.ts'
import { sendSql } from '../../../../support/db/send-sql.ts'
import { givenScopedKey } from '../../../../support/people/given-keys.ts'
import { MODELS, thrownBy, TWO_CALLS, useGateway, WEATHER } from '../given-gateway.ts'

const TOOL = { type: 'function' as const, name: 'weather', parameters: WEATHER, strict: true }

describe('responses that later calls name', () => {
  const gateway = useGateway()
  const clientOf = ({ key }: Pick<ApiTenant, 'key'>) =>
    new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: key, maxRetries: 0 })
  let mine: OpenAI
  let others: OpenAI
  let tenant: ApiTenant
  beforeEach(async () => {
    gateway.answer({ texts: ['ok'] })
    tenant = await givenApiTenant(gateway.api)
    mine = clientOf(tenant)
    others = clientOf(await givenApiTenant(gateway.api))
  })
  const bodySent = () => JSON.parse(gateway.server('openai').bodies.at(-1) ?? '')
  const refused = async (call: Promise<unknown>, param: string) => {
    const before = gateway.server('openai').bodies.length
    expect(await thrownBy(call))
      .to.be.instanceOf(OpenAI.BadRequestError)
      .and.include({ code: 'not_translatable', param })
    expect(gateway.server('openai').bodies.length).to.equal(before)
  }
  const missing = async (call: Promise<unknown>) =>
    expect(await thrownBy(call))
      .to.be.instanceOf(OpenAI.NotFoundError)
      .and.include({ code: 'not_found' })

  it('continue with OpenAI by the id of the response or of its items, for the tenant that received them', async () => {
    const model = MODELS.openai
    for (const isStreamed of [false, true]) {
      const asked = { model, input: 'The weather?', tools: [TOOL] }
      const first = isStreamed ? await mine.responses.stream(asked).finalResponse() : await mine.responses.create(asked)
      const [reasoning, call] = first.output
      if (reasoning?.type !== 'reasoning' || call?.type !== 'function_call') expect.fail(JSON.stringify(first.output))
      const result = { type: 'function_call_output' as const, call_id: call.call_id, output: '20' }
      const references = first.output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' }))
      const byItems = { model, input: [...references, result] }
      expect((await mine.responses.create(byItems)).output_text).to.equal('Paris it is')
      expect(bodySent().input[0]).to.deep.equal(references[0])
      const untyped = { model, input: [{ id: reasoning.id }, call, result] as never }
      expect((await mine.responses.create(untyped)).output_text).to.equal('Paris it is')
      const byResponse = { model, input: [result], previous_response_id: first.id }
      expect((await mine.responses.create(byResponse)).output_text).to.equal('Paris it is')

      await refused(others.responses.create(byItems), 'input[0]')
      await refused(others.responses.create(untyped), 'input[0].id')
      await refused(others.responses.create({ model, input: [reasoning, call, result] }), 'input[0].id')
      await refused(others.responses.create(byResponse), 'previous_response_id')
      await missing(others.responses.retrieve(first.id))
      await missing(others.responses.delete(first.id))
      await missing(others.responses.inputItems.list(first.id).then(({ data }) => data))
      expect((await mine.responses.retrieve(first.id)).output.map(({ id }) => id)).to.deep.equal(
        first.output.map(({ id }) => id),
      )
      expect((await mine.responses.inputItems.list(first.id)).data[0]).to.include({ content: 'The weather?' })
      await mine.responses.delete(first.id)
      await missing(mine.responses.retrieve(first.id))
    }
  })

  it('keep the placeholders of the calls that they continue', async () => {
    const model = MODELS.openai
    const first = await mine.responses.create({ model, input: 'Repeat ada@example.org' })
    expect(first.output_text).to.equal('Repeat ada@example.org')
    const second = { model, input: 'Repeat bob@example.org and ada@example.org', previous_response_id: first.id }
    expect((await mine.responses.create(second)).output_text).to.equal(second.input)
    expect(bodySent().input).to.equal('Repeat VAR_EMAIL_2 and VAR_EMAIL_1')
    expect((await mine.responses.retrieve(first.id)).output_text).to.equal('Repeat ada@example.org')
    const { db } = gateway.api.server.services
    const rows = await sendSql<{ row: string }>(
      db,
      `select row_to_json(r)::text || encode(coalesce(content, ''), 'escape') as row from response_references r where tenant_id = $1`,
      [tenant.id],
    )
    expect(rows.length).to.be.greaterThan(2)
    for (const { row } of rows) expect(row).not.to.contain('ada@').and.not.contain(first.id)
  })

  it('continue with a provider of another dialect, and go over to OpenAI', async () => {
    const { anthropic: model } = MODELS
    gateway.answer({ texts: ['Which city?'] })
    const first = await mine.responses.create({ model, input: 'The weather for ada@example.org?' })
    expect(first).to.include({ store: true })
    const [item] = first.output
    gateway.answer({ texts: [''], calls: TWO_CALLS })
    const input = [
      { role: 'user' as const, content: 'The weather?' },
      { type: 'item_reference' as const, id: item?.id ?? '' },
      { role: 'user' as const, content: 'Paris' },
    ]
    const called = await mine.responses.stream({ model, input, tools: [TOOL] }).finalResponse()
    expect(gateway.lastCall('anthropic').messages.map(({ text }) => text)).to.deep.equal([
      'The weather?',
      'Which city?',
      'Paris',
    ])
    gateway.answer({ texts: ['Mild'] })
    const results = called.output.flatMap((one) =>
      one.type === 'function_call'
        ? [{ type: 'function_call_output' as const, call_id: one.call_id, output: '20' }]
        : [],
    )
    const last = { input: results, tools: [TOOL], previous_response_id: called.id }
    expect((await mine.responses.create({ ...last, model })).output_text).to.equal('Mild')
    expect((await mine.responses.create({ ...last, model: MODELS.openai })).output_text).to.equal('Paris it is')
    expect(bodySent()).not.to.have.property('previous_response_id')

    expect((await mine.responses.retrieve(first.id)).output_text).to.equal('Which city?')
    const { data } = await mine.responses.inputItems.list(first.id)
    expect(data[0]).to.deep.include({ content: [{ type: 'input_text', text: 'The weather for ada@example.org?' }] })
    const texts: string[] = []
    for await (const listed of mine.responses.inputItems.list(called.id, { limit: 1, order: 'asc' })) {
      texts.push(JSON.stringify(listed))
    }
    expect(texts.map((text) => /The weather|Which city|Paris/.exec(text)?.[0])).to.deep.equal([
      'The weather',
      'Which city',
      'Paris',
    ])
    const pageAfter = mine.responses.inputItems
      .list(called.id, { after: 'msg_of_another' })
      .then(({ data: all }) => all)
    expect(await thrownBy(pageAfter))
      .to.be.instanceOf(OpenAI.BadRequestError)
      .and.include({ param: 'after' })
    await refused(others.responses.create({ model, input }), 'input[1]')
    await refused(others.responses.create({ ...last, model }), 'previous_response_id')
    await missing(others.responses.retrieve(first.id))
    await mine.responses.delete(first.id)
    await missing(mine.responses.retrieve(first.id))
  })

  it('leave containers, which later calls of the tenant that received them may use', async () => {
    const asked = (container: string | { type: 'auto' }) => ({
      model: MODELS.openai,
      input: 'Repeat ada@example.org',
      tools: [{ type: 'code_interpreter' as const, container }],
    })
    const { output } = await mine.responses.create(asked({ type: 'auto' }))
    expect(bodySent().input).to.equal('Repeat VAR_EMAIL_1')
    const [code] = output
    if (code?.type !== 'code_interpreter_call') expect.fail(JSON.stringify(output))
    const next = await mine.responses.create(asked(code.container_id))
    expect(next.output_text).to.equal('Repeat ada@example.org')
    // Its files may hold placeholders that are not known without the response.
    expect(bodySent().input).to.match(/^Repeat VAR_EMAIL_[A-Z]{8}_1$/)
    expect(bodySent().tools[0].container).to.equal(code.container_id)
    await refused(others.responses.create(asked(code.container_id)), 'tools[0].container')
  })

  it('continue after a hundred turns by the items of all earlier answers, whole and streamed', async () => {
    const { anthropic: model } = MODELS
    gateway.answer({ texts: ['It is mild there. '.repeat(28)] })
    const question = 'And the next city? '.repeat(26)
    const input: OpenAI.Responses.ResponseInputItem[] = []
    let previous: string | undefined
    for (let turn = 0; turn < 100; turn++) {
      const asked = { model, input: question, ...(previous !== undefined && { previous_response_id: previous }) }
      const { id, output } = await mine.responses.create(asked)
      previous = id
      input.push({ role: 'user', content: question }, { type: 'item_reference', id: output[0]?.id ?? '' })
    }
    gateway.answer({ texts: ['Mild'] })
    const last = { model, input: [...input, { role: 'user' as const, content: 'The last one?' }] }
    expect((await mine.responses.create(last)).output_text).to.equal('Mild')
    expect(gateway.lastCall('anthropic').messages).to.have.length(201)
    expect((await mine.responses.stream(last).finalResponse()).output_text).to.equal('Mild')
    expect(gateway.lastCall('anthropic').messages).to.have.length(201)
  })

  it('are not kept where the caller, its retention or its namespace forbids it', async () => {
    const { anthropic: model } = MODELS
    const goOn = async (client: OpenAI, id: string, to: string) =>
      await refused(
        client.responses.create({ model: to, input: 'x', previous_response_id: id }),
        'previous_response_id',
      )
    for (const to of [model, MODELS.openai]) {
      await goOn(mine, (await mine.responses.create({ model: to, input: 'x', store: false })).id, to)
      const none = { headers: { 'x-svc-retention': 'none' } }
      await goOn(mine, (await mine.responses.create({ model: to, input: 'x' }, none)).id, to)
    }
    const settings = { key: tenant.key, body: { capture_mode: 'metadata_only' } }
    await gateway.api.call('PUT', '/v1/gateway/namespaces/default', settings)
    const unkept = await mine.responses.create({ model, input: 'x' })
    expect(unkept).to.include({ store: false })
    await goOn(mine, unkept.id, model)
  })

  it('are unknown to a key of another namespace, and after the tenant forgets', async () => {
    const boundTo = async (namespace: string) =>
      clientOf(await givenScopedKey(gateway.api, tenant.key, { scopes: ['gateway:call', `namespace:${namespace}`] }))
    const [inside, outside] = [await boundTo('inside'), await boundTo('outside')]
    for (const model of [MODELS.openai, MODELS.anthropic]) {
      const { id } = await inside.responses.create({ model, input: 'x' })
      const next = { model, input: 'y', previous_response_id: id }
      await refused(outside.responses.create(next), 'previous_response_id')
      await missing(outside.responses.retrieve(id))
      expect((await inside.responses.create(next)).id).to.be.a('string')
      await missing(mine.responses.retrieve(`${id}0`))
    }
    const { id } = await mine.responses.create({ model: MODELS.openai, input: 'x' })
    const body = { confirm: true, subject: 'Marianne Oldfield' }
    const forgot = await gateway.api.call('POST', '/v1/captures/forget', { key: tenant.key, body })
    expect(forgot.status, forgot.text).to.be.lessThan(300)
    const next = { model: MODELS.openai, input: 'y', previous_response_id: id }
    await refused(mine.responses.create(next), 'previous_response_id')
  })
})
