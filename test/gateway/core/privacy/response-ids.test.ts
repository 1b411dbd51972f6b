import { expect } from 'chai'
import { tagOf } from '../../../../core/gateway/gate/privacy/placeholders.ts'
import { needsEarlier, referencesIn } from '../../../../core/gateway/protocol/dialects/responses/references.ts'
import { digestOfId, hideIds } from '../../../../core/gateway/record/hide-ids.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'

describe('ids in a body of responses', () => {
  const parameters = { type: 'object', properties: { container_id: { type: 'string' } } }
  const bodyWith = (id: (name: string) => string): JsonObject => ({
    model: 'm',
    previous_response_id: id('resp_1'),
    conversation: { id: id('conv_1') },
    input: [
      { role: 'user', content: 'resp_1' },
      { type: 'item_reference', id: id('msg_1') },
      { type: 'mcp_approval_response', approval_request_id: id('mcpr_1'), approve: true },
      { type: 'code_interpreter_call', id: id('ci_1'), container_id: id('cntr_1') },
      {
        type: 'shell_call',
        call_id: 'call_1',
        environment: { type: 'container_reference', container_id: id('cntr_2') },
      },
    ],
    tools: [
      { type: 'function', name: 'open', parameters },
      { type: 'code_interpreter', container: id('cntr_3') },
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'shell', environment: { type: 'container_reference', container_id: id('cntr_4') } },
    ],
  })

  it('are hidden and found in the same places', () => {
    const body = bodyWith((id) => id)
    expect(hideIds(body)).to.deep.equal(bodyWith(digestOfId))
    const named = ['resp_1', 'conv_1', 'msg_1', 'mcpr_1', 'ci_1', 'cntr_1', 'cntr_2', 'cntr_3', 'cntr_4']
    expect(referencesIn(body).map(({ id }) => id)).to.deep.equal(named)
    expect(hideIds({ conversation: 'conv_1' })).to.deep.equal({ conversation: digestOfId('conv_1') })
    const without = { input: [{ role: 'user', content: 'x', id: '' }], tools: [{ type: 'function', parameters }] }
    expect(hideIds(without)).to.equal(without)
  })

  it('make an answer need what a provider keeps, but for containers', () => {
    for (const conversation of ['conv_1', { id: 'conv_1' }]) expect(needsEarlier({ conversation })).to.equal(true)
    expect(needsEarlier({ previous_response_id: 'resp_1' })).to.equal(true)
    expect(needsEarlier({ conversation: null, tools: [{ container: 'cntr_1' }] })).to.equal(false)
  })
})

describe('tags of placeholders', () => {
  it('have no letter that begins a placeholder', () => {
    const tags = Array.from({ length: 200 }, (_one, i) => tagOf(`cap_${i}`))
    expect(new Set(tags)).to.have.property('size', 200)
    for (const tag of tags) expect(tag).to.match(/^[A-UW-Z]{8}$/)
  })
})
