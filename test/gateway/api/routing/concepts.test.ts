import { expect } from 'chai'
import { givenApiTenant, type ApiTenant } from '../../../support/api.ts'
import { UPPER_PROGRAM } from '../../../support/archives/archives.ts'
import { givenVersion } from '../../../support/archives/signed-artifacts.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { MODELS, useGateway } from '../inference/given-gateway.ts'

const COLOURS = ['red', 'green', 'blue', 'brown', 'black', 'white', 'yellow', 'grey']
const THINGS = ['bolts', 'washers', 'screws', 'nails', 'hinges', 'brackets', 'rivets', 'hooks']
const LABELS = COLOURS.flatMap((colour, i) => [
  `${colour} ${THINGS[i]}`,
  `${colour} ${THINGS[(i + 3) % THINGS.length]}`,
])
const REQUEST = 'Explain in three paragraphs why the sea is salty, and name two books about it.'

describe('the route of a call to the concept that it is for', () => {
  const gateway = useGateway()
  let tenant: ApiTenant
  let artifactId = ''

  before(async () => {
    tenant = await givenApiTenant(gateway.api)
    const { services } = gateway.api.server
    const rows = LABELS.map((input, i) => {
      const output = input.toUpperCase()
      return { id: `row_${i}`, input, expected: output, output, abstained: false, correct: true }
    })
    const made = await givenVersion(setUpOperation(services.db, tenant.id), {
      recipe: { kind: 'program', recipe: UPPER_PROGRAM },
      training: null,
      signer: services.signingKeys.current,
      task: 'Write the label of a box in capitals',
      rows,
    })
    artifactId = made.jobId
    gateway.answer({ texts: ['from a provider'] })
    const put = { route_mode: 'concepts', confidence_threshold: 0.7, durable: 'before_answer' }
    const set = await gateway.api.call('PUT', '/v1/gateway/namespaces/mixed', { key: tenant.key, body: put })
    expect(set.status, set.text).to.equal(200)
  })

  const ask = async (content: string, more: object = {}, { key } = tenant, namespace = 'mixed') =>
    await gateway.api.call('POST', '/v1/gateway/dispatch', {
      key,
      body: { model: MODELS.openai, messages: [{ role: 'user', content }], ...more },
      headers: { 'x-svc-namespace': namespace },
    })
  const captured = async (headers: Headers) => {
    const id = headers.get('x-svc-capture-id') ?? ''
    return (await gateway.api.call('GET', `/v1/captures/${id}/inspect`, { key: tenant.key })).body.capture
  }

  it('leads to its artifact where both are sure, and says how sure', async () => {
    await eventually(async () => {
      const own = await ask('green hinges')
      expect(own.status, own.text).to.equal(200)
      expect(own.body.choices[0].message.content).to.equal('GREEN HINGES')
      const { headers } = own
      expect([headers.get('x-svc-route'), headers.get('x-svc-artifact-id')]).to.deep.equal(['local', artifactId])
      const match = Number(headers.get('x-svc-concept-match'))
      expect(match).to.be.within(0.7, 1)
      expect(own.body.svc_receipt).to.deep.include({ artifact_id: artifactId, concept_match: match })
      const streamed = await ask('green hinges', { stream: true })
      for (const name of ['x-svc-route', 'x-svc-artifact-id', 'x-svc-concept-match']) {
        expect(streamed.headers.get(name), name).to.equal(headers.get(name))
      }
      const { route } = await captured(headers)
      expect(route).to.deep.include({ decision: 'local', artifactId, conceptMatch: match })
    })
  })

  it('leads to the model where no concept is probable, and says so', async () => {
    const other = await ask(REQUEST)
    expect(other.body.choices[0].message.content).to.equal('from a provider')
    expect(other.headers.get('x-svc-route')).to.equal('frontier')
    expect(other.headers.get('x-svc-fallback-reason')).to.equal('no_concept')
    expect(other.headers.get('x-svc-attempts')).to.match(/^\.svc:\S+=no_concept, openai:gpt-4o-mini=ok$/)
    expect(other.body.svc_receipt.failed_attempts[0]).to.include({ provider: '.svc', reason: 'no_concept' })
    const streamed = await ask(REQUEST, { stream: true })
    expect(streamed.headers.get('x-svc-fallback-reason')).to.equal('no_concept')
    expect(streamed.headers.get('x-svc-attempts')).to.equal(other.headers.get('x-svc-attempts'))
    const { attempts } = await captured(other.headers)
    expect(attempts[0]).to.include({ provider: '.svc', failure: 'no_concept' })
    // The artifacts of a tenant are those of no other.
    const stranger = await givenApiTenant(gateway.api)
    const body = { route_mode: 'concepts' }
    await gateway.api.call('PUT', '/v1/gateway/namespaces/mixed', { key: stranger.key, body })
    const theirs = await ask('green hinges', {}, stranger)
    expect(theirs.headers.get('x-svc-attempts')).to.contain('.svc:concepts=no_concept')
  })

  it('says that a request is none for artifacts, and asks none without the setting', async () => {
    const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } }]
    const asked = await ask('green hinges', { tools })
    expect(asked.body.svc_fallback_reason).to.equal('unsupported_request')
    const plain = await ask('green hinges', {}, tenant, 'default')
    expect([plain.body.svc_fallback_reason, plain.headers.get('x-svc-route')]).to.deep.equal([null, 'frontier'])
  })
})
