import { expect } from 'chai'
import OpenAI from 'openai'
import { givenApiTenant, type ApiTenant } from '../../../../support/api.ts'
import { sendSql } from '../../../../support/db/send-sql.ts'
import { MODELS, useGateway } from '../given-gateway.ts'

const { anthropic: model } = MODELS

type Input = string | OpenAI.Responses.ResponseInputItem[]

describe('rows of conversations that are kept here', () => {
  const gateway = useGateway()
  let tenant: ApiTenant
  let client: OpenAI
  beforeEach(async () => {
    gateway.answer({ texts: ['It is mild.'] })
    tenant = await givenApiTenant(gateway.api)
    client = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: tenant.key, maxRetries: 0 })
  })
  const rows = async () =>
    await sendSql<{ readonly turns: number; readonly version: string; readonly rest: number }>(
      gateway.api.server.services.db,
      `select turns, xmin::text as version,
              later_bytes - coalesce((select sum(size_bytes) from response_references l where l.root_key = r.key), 0)::int as rest
         from response_references r where tenant_id = $1 order by turns`,
      [tenant.id],
    )
  const ask = async (input: Input, previous?: string) =>
    await client.responses.create({ model, input, ...(previous !== undefined && { previous_response_id: previous }) })
  const chain = async (turns: number, from?: string) => {
    const ids: string[] = []
    for (let turn = 0; turn < turns; turn++) ids.push((await ask(`Question ${turn}`, ids.at(-1) ?? from)).id)
    return ids
  }
  const saidTo = () => gateway.lastCall('anthropic').messages.map(({ text }) => text)

  it('are written once, but for the first, which counts them and says until when they are kept', async () => {
    const ids = await chain(12)
    const before = (await rows()).map(({ version }) => version)
    await ask('And now?', ids.at(-1))
    const after = await rows()
    expect(after.filter(({ version }) => !before.includes(version)).map(({ turns }) => turns)).to.deep.equal([1, 13])
    expect(after.filter(({ turns }) => turns === 1).map(({ rest }) => rest)).to.deep.equal([0])
  })

  it('go when all responses of the conversation are deleted at once', async () => {
    const trunk = await chain(6)
    const branches = await Promise.all([chain(5, trunk[2]), chain(5, trunk[2])])
    const ids = [...trunk, ...branches.flat()]
    expect(await rows()).to.have.length(ids.length)
    // One call after the other within each branch would leave nothing to look for.
    await Promise.all(ids.map(async (id) => await client.responses.delete(id)))
    expect(await rows()).to.deep.equal([])
  })

  it('count what is left after some of them are deleted', async () => {
    const trunk = await chain(3)
    const branch = await chain(2, trunk[0])
    await Promise.all([branch[1] ?? '', branch[0] ?? ''].map(async (id) => await client.responses.delete(id)))
    const left = await rows()
    expect(left.map(({ turns }) => turns)).to.deep.equal([1, 2, 3])
    expect(left[0]?.rest).to.equal(0)
  })

  it('begin a conversation with all items that the call sent, where the response before is gone meanwhile', async () => {
    const first = await ask('Where?')
    const [message] = first.output
    if (message?.type !== 'message') expect.fail(JSON.stringify(first.output))
    gateway.answer(async () => {
      await client.responses.delete(first.id)
      return { texts: ['It is mild.'] }
    })
    const second = await ask([{ role: 'user', content: 'Where?' }, message, { role: 'user', content: 'Paris' }])
    expect(second).to.include({ store: true })
    expect((await rows()).map(({ turns }) => turns)).to.deep.equal([1])
    gateway.answer({ texts: ['It is mild.'] })
    await ask('When?', second.id)
    expect(saidTo()).to.deep.equal(['Where?', 'It is mild.', 'Paris', 'It is mild.', 'When?'])
  })

  it('do so where the call names another response by an item', async () => {
    const named = (await ask('Hello')).output[0]?.id ?? ''
    const opening: Input = [
      { role: 'user', content: 'Hi' },
      { type: 'item_reference', id: named },
      { role: 'user', content: 'Where?' },
    ]
    const first = await ask(opening)
    gateway.answer(async () => {
      await client.responses.delete(first.id)
      return { texts: ['It is mild.'] }
    })
    const second = await ask([...opening, ...(first.output as never[]), { role: 'user', content: 'Paris' }])
    expect(second).to.include({ store: true })
    expect((await rows()).map(({ turns }) => turns)).to.deep.equal([1, 1])
  })

  it('hold one turn each, also where a client sends reasoning and calls of tools as other services write them', async () => {
    const opening: OpenAI.Responses.ResponseInputItem[] = [
      { role: 'user', content: 'Where?' },
      { type: 'reasoning', id: 'rs_elsewhere', summary: [], encrypted_content: 'sealed' },
      {
        type: 'function_call',
        id: 'fc_elsewhere',
        call_id: 'call_1',
        name: 'find',
        arguments: '{}',
        status: 'completed',
      },
      { type: 'function_call_output', call_id: 'call_1', output: 'Paris' },
    ]
    const first = await ask(opening)
    const again = opening.filter(({ type }) => type !== 'reasoning')
    for (const items of [opening, again]) {
      const { id } = await ask([...items, ...(first.output as never[]), { role: 'user', content: 'When?' }])
      expect((await rows()).map(({ turns }) => turns)).to.deep.equal([1, 2])
      await client.responses.delete(id)
    }
  })
})

describe('the room of a tenant for conversations', () => {
  const gateway = useGateway({ gateway_references_bytes_per_tenant: 20_000 })

  it('holds those that were used last, whole, whatever else goes on', async () => {
    gateway.answer({ texts: ['ok'] })
    const { key } = await givenApiTenant(gateway.api)
    const client = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey: key, maxRetries: 0 })
    const ask = async (input: string, previous?: string) =>
      await client.responses.create({ model, input, ...(previous !== undefined && { previous_response_id: previous }) })
    let last = (await ask('Begin')).id
    for (let turn = 0; turn < 60; turn++) {
      const answer = await ask(`Question ${turn}`, last)
      expect(answer, `turn ${turn}`).to.include({ store: true })
      last = answer.id
    }
    expect(gateway.lastCall('anthropic').messages).to.have.length(121)
    for (let fresh = 0; fresh < 10; fresh++) {
      const first = await ask(`Where ${fresh}?`)
      const second = await ask('Paris', first.id)
      await ask('When?', second.id)
      expect(gateway.lastCall('anthropic').messages.map(({ text }) => text)).to.deep.equal([
        `Where ${fresh}?`,
        'ok',
        'Paris',
        'ok',
        'When?',
      ])
    }
  })
})
