import { expect } from 'chai'
import { createParser } from 'eventsource-parser'
import { MODELS, useGateway } from './given-gateway.ts'

describe('events of responses', () => {
  const gateway = useGateway()

  it('are numbered up to the error that ends a stream', async () => {
    gateway.answer({ texts: ['one two three'], stream: { cutAfter: 4 } })
    const events: { readonly type: string; readonly sequence_number: number }[] = []
    const parser = createParser({ onEvent: ({ data }) => void events.push(JSON.parse(data)) })
    const body = { model: MODELS.anthropic, input: 'x', stream: true }
    const { text } = await gateway.api.call('POST', '/v1/responses', { key: gateway.tenant().key, body })
    parser.feed(text)
    const types = events.map(({ type }) => type)
    expect(types.slice(0, 2)).to.deep.equal(['response.created', 'response.in_progress'])
    expect(types.at(-1)).to.equal('error')
    expect(events.map((event) => event.sequence_number)).to.deep.equal(events.map((_event, i) => i))
  })
})
