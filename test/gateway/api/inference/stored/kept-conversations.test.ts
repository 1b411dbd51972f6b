import { expect } from 'chai'
import OpenAI from 'openai'
import { expireReferences } from '../../../../../db/gateway/across/expire-references.ts'
import { referenceKey, sealById } from '../../../../../core/gateway/record/seal-by-id.ts'
import { ownName } from '../../../../../core/gateway/protocol/dialects/responses/references.ts'
import { givenApiTenant, type ApiTenant } from '../../../../support/api.ts'
import { sendSql } from '../../../../support/db/send-sql.ts'
import { givenScopedKey } from '../../../../support/people/given-keys.ts'
import { MODELS, thrownBy, useGateway } from '../given-gateway.ts'

interface Row {
  readonly key: Buffer
  readonly parent: Buffer | null
  readonly turns: number
  readonly bytes: number
  readonly conversation: number
}

describe('conversations of responses that are kept here', () => {
  const gateway = useGateway()
  const { anthropic: model } = MODELS
  let tenant: ApiTenant
  let client: OpenAI
  beforeEach(async () => {
    gateway.answer({ texts: ['It is mild.'] })
    tenant = await givenApiTenant(gateway.api)
    client = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: tenant.key, maxRetries: 0 })
  })
  const db = () => gateway.api.server.services.db
  const rows = async () =>
    await sendSql<Row>(
      db(),
      `select key, parent_key as parent, turns, octet_length(content) as bytes, bytes_before + size_bytes as conversation
         from response_references where tenant_id = $1 order by turns`,
      [tenant.id],
    )
  const setExpiry = async (id: string, after: string) =>
    await sendSql(
      db(),
      `update response_references set expires_at = now() + $3::interval where tenant_id = $1 and key = $2`,
      [tenant.id, keyOf(id), after],
    )
  const keyOf = (id: string) => referenceKey(ownName(id) ?? '')
  const ask = async (input: string, previous?: string, from = client) =>
    await from.responses.create({ model, input, ...(previous !== undefined && { previous_response_id: previous }) })
  const saidTo = () => gateway.lastCall('anthropic').messages.map(({ text }) => text)
  const isThere = async (id: string) => (await thrownBy(client.responses.retrieve(id))) === undefined
  const refused = async (call: Promise<unknown>) =>
    expect(await thrownBy(call))
      .to.be.instanceOf(OpenAI.BadRequestError)
      .and.include({ code: 'not_translatable' })

  it('take as many bytes for each turn, by the id of the response before it', async () => {
    const ids: string[] = []
    for (let turn = 0; turn < 30; turn++) {
      const answer = await ask(`Question ${10 + turn}`, ids.at(-1))
      expect(answer).to.include({ store: true, previous_response_id: ids.at(-1) ?? null })
      ids.push(answer.id)
    }
    const turns = await rows()
    expect(turns.map((row) => row.turns)).to.deep.equal(ids.map((_id, i) => i + 1))
    expect(turns.map(({ parent }) => parent)).to.deep.equal([null, ...ids.slice(0, -1).map((id) => keyOf(id))])
    const later = turns.slice(1).map(({ bytes }) => bytes)
    // Counts of tokens have more digits by and by.
    expect(Math.max(...later) - Math.min(...later)).to.be.lessThan(5)
    expect(turns.at(-1)?.conversation).to.equal(turns.reduce((sum, { bytes }) => sum + bytes + 400, 0))
    await ask('And now?', ids.at(-1))
    expect(saidTo()).to.deep.equal([...ids.flatMap((_id, i) => [`Question ${10 + i}`, 'It is mild.']), 'And now?'])
    const listed: string[] = []
    for await (const item of client.responses.inputItems.list(ids.at(-1) ?? '', { order: 'asc', limit: 7 })) {
      listed.push(JSON.stringify(item))
    }
    expect(listed).to.have.length(59)
    // Each item of the conversation can be named by the id that it is listed with.
    const { id = '' } = JSON.parse(listed[2] ?? '')
    await client.responses.create({ model, input: [{ type: 'item_reference', id }] })
    expect(saidTo()).to.deep.equal(['Question 11'])
  })

  it('take as many for clients that send the items of all turns, by their ids or whole', async () => {
    for (const isWhole of [false, true]) {
      const sent: OpenAI.Responses.ResponseInputItem[] = []
      let last = ''
      for (let turn = 0; turn < 12; turn++) {
        sent.push({ role: 'user', content: `Question ${10 + turn}` })
        const { id, output } = await client.responses.create({ model, input: sent })
        last = id
        const [item] = output
        if (item?.type !== 'message') expect.fail(JSON.stringify(output))
        const { status: _status, ...whole } = item
        sent.push(isWhole ? (whole as never) : { type: 'item_reference', id: item.id })
      }
      const turns = await rows()
      expect(turns.map((row) => row.turns)).to.deep.equal(Array.from({ length: 12 }, (_one, i) => i + 1))
      const later = turns.slice(1).map(({ bytes }) => bytes)
      expect(Math.max(...later) - Math.min(...later)).to.be.lessThan(5)
      const { data } = await client.responses.inputItems.list(last, { order: 'asc', limit: 100 })
      expect(data).to.have.length(23)
      // A conversation whose earlier turns were changed is another one.
      const [, ...changed] = sent
      await client.responses.create({ model, input: [{ role: 'user', content: 'Another' }, ...changed] })
      expect((await rows()).filter((row) => row.turns === 1)).to.have.length(2)
      await sendSql(db(), 'delete from response_references where tenant_id = $1', [tenant.id])
    }
  })

  it('go on from a response that was kept with all turns before it', async () => {
    const { id, output } = await ask('Paris')
    const said = (role: string, content: string) => ({ type: 'message', role, content })
    const input = [said('user', 'Where?'), said('assistant', 'It is mild.'), said('user', 'Paris')]
    const sealed = sealById(ownName(id) ?? '', { input, response: { id, output: JSON.parse(JSON.stringify(output)) } })
    await sendSql(db(), 'update response_references set content = $2 where tenant_id = $1', [tenant.id, sealed])
    const second = await ask('When?', id)
    await ask('And then?', second.id)
    const answers = ['It is mild.', 'It is mild.', 'It is mild.']
    const asked = ['Where?', 'Paris', 'When?']
    expect(saidTo()).to.deep.equal([...asked.flatMap((text, i) => [text, answers[i]]), 'And then?'])
    expect((await rows()).map(({ turns }) => turns)).to.deep.equal([1, 2, 3])
  })

  it('go on in several branches', async () => {
    const first = await ask('Where?')
    const [paris, rome] = await Promise.all([ask('Paris', first.id), ask('Rome', first.id)])
    await ask('When?', rome.id)
    expect(saidTo()).to.deep.equal(['Where?', 'It is mild.', 'Rome', 'It is mild.', 'When?'])
    await ask('When?', paris.id)
    expect(saidTo()).to.deep.equal(['Where?', 'It is mild.', 'Paris', 'It is mild.', 'When?'])
  })

  it('go on after an earlier response is deleted, which goes with the last that needs it', async () => {
    const first = await ask('Where?')
    const second = await ask('Paris', first.id)
    const [third, other] = [await ask('When?', second.id), await ask('Why?', second.id)]
    await client.responses.delete(first.id)
    await client.responses.delete(second.id)
    expect([await isThere(first.id), await isThere(second.id), await isThere(third.id)]).to.deep.equal([
      false,
      false,
      true,
    ])
    await refused(ask('x', first.id))
    expect(await thrownBy(client.responses.delete(first.id))).to.be.instanceOf(OpenAI.NotFoundError)
    await ask('And then?', third.id)
    expect(saidTo().slice(0, 3)).to.deep.equal(['Where?', 'It is mild.', 'Paris'])
    const fourth = (await rows()).at(-1)
    expect(fourth?.turns).to.equal(4)
    await client.responses.delete(other.id)
    expect(await rows()).to.have.length(4)
    await sendSql(db(), 'delete from response_references where tenant_id = $1 and turns = 4', [tenant.id])
    await client.responses.delete(third.id)
    expect(await rows()).to.have.length(0)
  })

  it('end where the response before is deleted while the answer is under way, and after 2000 turns', async () => {
    const first = await ask('Where?')
    gateway.answer(async () => {
      await client.responses.delete(first.id)
      return { texts: ['It is mild.'] }
    })
    const second = await ask('Paris', first.id)
    expect(second).to.include({ store: false })
    expect(await rows()).to.have.length(0)
    gateway.answer({ texts: ['It is mild.'] })
    const third = await ask('Where?')
    await sendSql(db(), 'update response_references set turns = 2000 where tenant_id = $1', [tenant.id])
    const fourth = await ask('Paris', third.id)
    expect(fourth).to.include({ store: false })
    await refused(ask('x', fourth.id))
    const [item] = fourth.output
    await client.responses.create({
      model,
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'item_reference', id: item?.id ?? '' },
      ],
    })
    expect(saidTo()).to.deep.equal(['Hi', 'It is mild.'])
  })

  it('are kept as long as their last turn says, and go whole', async () => {
    const first = await ask('Where?')
    const second = await ask('Paris', first.id)
    await setExpiry(first.id, '1 hour')
    const third = await ask('When?', second.id)
    const days = await sendSql<{ days: number }>(
      db(),
      `select round(extract(epoch from expires_at - now()) / 86400)::int as days from response_references
        where tenant_id = $1 order by turns`,
      [tenant.id],
    )
    expect(days.map((row) => row.days)).to.deep.equal([30, null, null])
    await ask('And then?', third.id)
    expect(saidTo()).to.have.length(7)
    const other = await ask('Where?')
    await setExpiry(first.id, '-1 day')
    await refused(ask('x', third.id))
    expect(await expireReferences(db(), new Date())).to.equal(1)
    expect((await rows()).map(({ key }) => key)).to.deep.equal([keyOf(other.id)])
  })

  it('say at the start of a stream what was asked for, and at its end what is kept', async () => {
    const stored = async (asked: { readonly input: string; readonly store?: boolean }) => {
      const said: unknown[] = []
      for await (const event of await client.responses.create({ model, ...asked, stream: true })) {
        if ('response' in event && 'store' in event.response) said.push([event.type, event.response.store])
      }
      return said
    }
    const events = (start: boolean, end: boolean) => [
      ['response.created', start],
      ['response.in_progress', start],
      ['response.completed', end],
    ]
    expect(await stored({ input: 'x' })).to.deep.equal(events(true, true))
    expect(await stored({ input: 'x'.repeat(300_000) })).to.deep.equal(events(true, false))
    expect(await stored({ input: 'x', store: false })).to.deep.equal(events(false, false))
  })

  it('are whole in the namespace of each turn', async () => {
    const bound = async (namespace: string) =>
      await givenScopedKey(gateway.api, tenant.key, { scopes: ['gateway:call', `namespace:${namespace}`] })
    const at = (key: string) => new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: key, maxRetries: 0 })
    const [inside, outside] = [at((await bound('inside')).key), at((await bound('outside')).key)]
    const first = await ask('Where?', undefined, inside)
    const headers = { 'x-svc-namespace': 'outside' }
    const second = await client.responses.create({ model, input: 'Paris', previous_response_id: first.id }, { headers })
    await ask('When?', second.id, outside)
    expect(saidTo()).to.deep.equal(['Where?', 'It is mild.', 'Paris', 'It is mild.', 'When?'])
    await refused(ask('When?', second.id, inside))
  })
})

describe('long conversations of responses', () => {
  const gateway = useGateway({ gateway_kept_response_bytes: 2000 })

  it('are kept up to a bound on all their turns, and say where they end', async () => {
    gateway.answer({ texts: ['ok'] })
    const { key } = await givenApiTenant(gateway.api)
    const client = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: key, maxRetries: 0 })
    let previous: string | undefined
    let turns = 0
    for (; turns < 100; turns++) {
      const asked = { model: MODELS.anthropic, input: `Question ${turns}` }
      const answer = await client.responses.create({
        ...asked,
        ...(previous !== undefined && { previous_response_id: previous }),
      })
      if (!('store' in answer) || answer.store !== true) break
      previous = answer.id
    }
    // 16 answers of 2000 bytes are more than one row could hold, and fewer than 100 turns.
    expect(turns).to.be.within(10, 40)
  })
})
