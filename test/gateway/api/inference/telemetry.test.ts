import { expect } from 'chai'
import { startOtlpCollector, type OtlpCollector } from '../../../support/wire/otlp-collector.ts'
import { MODELS, useGateway } from './given-gateway.ts'

const MESSAGES = [{ role: 'user', content: 'the canary of the question' }]

describe('telemetry of calls', () => {
  let collector: OtlpCollector
  before(async () => {
    collector = await startOtlpCollector()
  })
  const gateway = useGateway(
    {},
    {
      get telemetry() {
        return { endpoint: collector.endpoint, headers: { 'x-collector-key': 'k1' }, serviceName: 'svc-of-the-test' }
      },
    },
  )
  after(async () => {
    await collector.close()
  })
  const ask = async (body: object, headers: Record<string, string> = {}) =>
    await gateway.api.call('POST', '/v1/chat/completions', { key: gateway.tenant().key, body, headers })

  it('counts calls, tokens, cost and times for Prometheus, by models of the price lists alone', async () => {
    gateway.answer({ texts: ['the canary of the answer'], usage: { input: 1000, cached: 400, output: 100 } })
    await ask({ model: MODELS.openai, messages: MESSAGES })
    await ask({ model: MODELS.anthropic, messages: MESSAGES, stream: true })
    await ask({ model: 'openai:ft-of-a-tenant', messages: MESSAGES })
    gateway.answer({ texts: ['one two three four'], stream: { cutAfter: 3 } })
    await ask({ model: MODELS.openai, messages: MESSAGES, stream: true })
    gateway.answer({ status: 500 })
    await ask({ model: MODELS.openai, messages: MESSAGES })
    const { text } = await gateway.api.call('GET', '/metrics')
    for (const line of [
      'svc_gateway_calls_total{provider="openai",model="gpt-4o-mini",outcome="whole"} 1',
      'svc_gateway_calls_total{provider="openai",model="gpt-4o-mini",outcome="interrupted"} 1',
      'svc_gateway_calls_total{provider="openai",model="gpt-4o-mini",outcome="failed"} 1',
      'svc_gateway_calls_total{provider="openai",model="other",outcome="whole"} 1',
      'svc_gateway_tokens_total{provider="anthropic",model="claude-haiku-4-5",kind="output"} 100',
      'svc_gateway_tokens_total{provider="openai",model="other",kind="cached"} 400',
      'svc_gateway_time_to_first_token_seconds_count{provider="anthropic",model="claude-haiku-4-5"} 1',
      'svc_gateway_call_duration_seconds_count{provider="openai",outcome="failed"} 1',
    ])
      expect(text).to.contain(line)
    expect(text).to.match(/svc_gateway_cost_usd_total\{provider="openai",model="gpt-4o-mini"\} 0\.0001/)
    expect(text).not.to.contain('ft-of-a-tenant')
  })

  it('exports spans and metrics by the conventions for generative AI, without content', async () => {
    const trace = 'a'.repeat(32)
    gateway.answer({ texts: ['the canary of the answer'], usage: { input: 1000, cached: 400, output: 100 } })
    await ask(
      { model: 'google:gemini-2.5-flash', messages: MESSAGES },
      { traceparent: `00-${trace}-${'b'.repeat(16)}-01` },
    )
    // The end of the server exports what is left.
    await gateway.api.restart()
    const { spans, points, resources, headers, bodies } = collector
    const child = spans.find(({ traceId }) => traceId === trace)
    expect(child).to.include({ name: 'chat google:gemini-2.5-flash', parentId: 'b'.repeat(16), kind: 3, statusCode: 0 })
    expect(child?.durationMs).to.be.greaterThan(0)
    expect(child?.attributes).to.deep.include({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'google:gemini-2.5-flash',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.cache_read.input_tokens': 400,
      'gen_ai.usage.output_tokens': 100,
      'svc.outcome': 'whole',
      'svc.tenant_id': gateway.tenant().id,
    })
    expect(child?.attributes['svc.receipt_id']).to.match(/^rcpt_/)
    const errors = spans.flatMap(({ statusCode, attributes }) => (statusCode === 2 ? [attributes['error.type']] : []))
    expect(errors).to.have.members(['provider_interrupted', 'provider_overloaded'])
    const sumOf = (metric: string, wanted: Readonly<Record<string, unknown>>) =>
      points.find(
        (point) =>
          point.metric === metric && Object.entries(wanted).every(([name, value]) => point.attributes[name] === value),
      )
    const gemini = { 'gen_ai.provider.name': 'gcp.gemini', 'gen_ai.request.model': 'gemini-2.5-flash' }
    const read = sumOf('gen_ai.client.token.usage', { ...gemini, 'gen_ai.token.type': 'input' })
    expect(read).to.include({ unit: '{token}', count: 1, sum: 1000 })
    expect(sumOf('gen_ai.client.operation.duration', gemini)).to.include({ unit: 's', count: 1 })
    expect(resources[0]).to.include({ 'service.name': 'svc-of-the-test' })
    expect(headers.every((each) => each['x-collector-key'] === 'k1')).to.equal(true)
    expect(Buffer.concat(bodies).includes('canary')).to.equal(false)
  })
})
