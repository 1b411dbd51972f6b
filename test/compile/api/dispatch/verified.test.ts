import { expect } from 'chai'
import { hashJson, type Json } from '../../../../core/kernel/json/json.ts'
import { UPPER_PROGRAM } from '../../../support/archives/archives.ts'
import { givenVersion } from '../../../support/archives/signed-artifacts.ts'
import { givenApiTenant, type Answer } from '../../../support/api.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { MODELS, useGateway } from '../../../gateway/api/inference/given-gateway.ts'

const CONVERSATION = [
  { role: 'user', content: 'Remember 40.' },
  { role: 'assistant', content: 'I do.' },
  { role: 'user', content: 'Add 2 and reply with the number.' },
]
const IDENTITY = { language: 'svc-recipe-1', body: { op: 'input' } }

describe('verified answers', () => {
  const gateway = useGateway()
  const ask = async (verified: object, more: object = {}, key = gateway.tenant().key): Promise<Answer> =>
    await gateway.api.call('POST', '/v1/wrap/verified', {
      key,
      body: { model: MODELS.anthropic, messages: CONVERSATION, verified, ...more },
    })
  const verify = async (receipt: object, more: object = {}): Promise<Answer> =>
    await gateway.api.call('POST', '/v1/receipts/verify', { body: { receipt, ...more } })
  const answers = (...texts: readonly string[]) => {
    let next = 0
    const asked: (readonly { readonly role: string; readonly text: string }[])[] = []
    gateway.answer(({ messages }) => {
      asked.push(messages)
      return { texts: [texts[next++ % texts.length] ?? ''], usage: { input: 100, output: 10 } }
    })
    return asked
  }

  it('takes samples of the whole conversation until one is the expected answer', async () => {
    const asked = answers('41', 'It is 42', ' 42\n', '43')
    const { status, body, text } = await ask(
      { k: 4, test_cases: [{ input: '40 + 2', expected: 42 }] },
      { system: 'Be brief.', max_tokens: 8 },
    )
    expect(status, text).to.equal(200)
    expect(body).to.deep.include({ role: 'assistant', model: MODELS.anthropic, stop_reason: 'end_turn' })
    expect(body.id).to.match(/^wrap_/)
    expect(body.content).to.deep.equal([{ type: 'text', text: ' 42\n' }])
    expect(body._svc).to.deep.include({ verified: true, stopped_by: null, recall_chunks: 0 })
    expect(body._svc.chosen).to.deep.equal({ index: 2, source: ' 42\n', passes: 1, total: 1 })
    expect(body._svc.candidates.map(({ passes }: { passes: number }) => passes)).to.deep.equal([0, 0, 1])
    expect(asked).to.have.length(3)
    for (const messages of asked) {
      expect(messages.map(({ text: said }) => said)).to.deep.equal([
        'Be brief.',
        ...CONVERSATION.map(({ content }) => content),
      ])
    }
    expect(gateway.lastCall('anthropic')).to.include({ temperature: 0.7, maxTokens: 8 })
    expect(body._svc.cost_usd).to.be.closeTo(3 * body._svc.candidates[0].cost_usd, 1e-12)
    expect(body._svc.cost_usd).to.be.greaterThan(0)

    const { receipt } = body._svc
    expect(receipt).to.deep.include({ spec: 'rs-1', primitive: 'verified-inference', chosen_index: 2, verified: true })
    expect(receipt.samples_hashes).to.deep.equal(['41', 'It is 42', ' 42\n'].map((sample) => hashJson(sample)))
    const given: Json = { messages: CONVERSATION, system: 'Be brief.' }
    const genuine = await verify(receipt, { input: given, output: ' 42\n' })
    expect(genuine.body, genuine.text).to.deep.include({ verified: true, kind: 'verified-inference' })
    expect(genuine.body.checks).to.deep.equal({ hmac: true, ed25519: true, input_match: true, output_match: true })
    const forged = await verify({ ...receipt, passes: 7 })
    expect([forged.status, forged.body.code]).to.deep.equal([409, 'signature_mismatch'])
  })

  it('answers the best sample when none verifies', async () => {
    answers('a long wrong answer', 'wrong')
    const { body } = await ask({ k: 3, test_cases: [{ input: 'x', expected: 'right' }] })
    expect(body).to.deep.include({ stop_reason: 'verifier_unsatisfied' })
    expect(body._svc).to.deep.include({ verified: false })
    expect(body._svc.candidates).to.have.length(3)
    expect(body.content[0].text).to.equal('wrong')
    expect(body._svc.receipt.verified).to.equal(false)
  })

  it('runs a program that the model writes, and nothing else', async () => {
    const asked = answers(
      'process.exit(1)',
      JSON.stringify(IDENTITY),
      `Here it is:\n\`\`\`json\n${JSON.stringify(UPPER_PROGRAM)}\n\`\`\``,
    )
    const cases = [
      { input: 'ada', expected: 'ADA' },
      { input: 'Grace', expected: 'GRACE' },
      { input: 'KEN', expected: 'KEN' },
    ]
    const { body } = await ask({ k: 4, test_cases: cases })
    expect(body._svc.verified).to.equal(true)
    expect(body._svc.candidates.map(({ passes }: { passes: number }) => passes)).to.deep.equal([0, 1, 3])
    expect(body._svc.candidates[0].compile_error).to.be.a('string')
    expect(JSON.parse(body._svc.chosen.source)).to.deep.equal(UPPER_PROGRAM)
    expect(body._svc.receipt).to.deep.include({ verifier: 'program', passes: 3, total: 3 })
    const [system] = asked[0] ?? []
    expect(system?.text).to.contain('Program = {"language"')
    expect(system?.text).not.to.contain('GRACE')
  })

  it('asks a judge recipe of the tenant', async () => {
    const { id, key } = await givenApiTenant(gateway.api)
    const { services } = gateway.api.server
    const judge = await givenVersion(setUpOperation(services.db, id), {
      recipe: { kind: 'program', recipe: UPPER_PROGRAM },
      training: null,
      signer: services.signingKeys.current,
    })
    for (const named of [{ judge_recipe_id: judge.conceptId }, { judge_version_id: judge.versionId }]) {
      answers('No', 'Yes')
      const { body, text } = await ask({ ...named, expected: 'YES' }, {}, key)
      expect(body._svc?.verified, text).to.equal(true)
      expect(body._svc).to.deep.include({ candidates_passed: 1, candidates_n: 2 })
      expect(body._svc.receipt.verifier).to.equal('judge')
    }
    await services.invocations.flush()
    const stats = await gateway.api.call('GET', `/v1/concepts/${judge.conceptId}/stats`, { key })
    expect(stats.body.invocations).to.equal(4)

    const calls = gateway.server('anthropic').bodies.length
    const foreign = await ask({ judge_recipe_id: judge.jobId, expected: 'YES' })
    expect([foreign.status, foreign.body.code]).to.deep.equal([404, 'not_found'])
    expect(gateway.server('anthropic').bodies.length).to.equal(calls)
  })

  it('ends the sampling with the best sample so far when a later call is refused', async () => {
    let calls = 0
    gateway.answer(() => (calls++ === 0 ? { texts: ['wrong'] } : { status: 400, message: 'no more' }))
    const { body } = await ask({ k: 4, test_cases: [{ input: 'x', expected: 'right' }] })
    expect(body._svc).to.deep.include({ verified: false, stopped_by: 'provider_rejected_request' })
    expect(body._svc.candidates).to.have.length(1)
  })

  it('refuses what it cannot judge, before a model is asked', async () => {
    const calls = gateway.server('anthropic').bodies.length
    const one = { input: 'x', expected: 'y' }
    const judge = { judge_version_id: 'ver_0123456789abcdefghjkmnpqrs' }
    const refused: readonly (readonly [verified: object | undefined, field: string, status?: number])[] = [
      [undefined, 'verified'],
      [{}, 'verified.test_cases'],
      [{ k: 65, test_cases: [one] }, 'verified.k'],
      [{ k: 0, test_cases: [one] }, 'verified.k'],
      [{ test_cases: [] }, 'verified.test_cases'],
      [{ test_cases: [{ input: 'x' }] }, 'verified.test_cases[0].expected'],
      [{ test_cases: [one], ...judge, expected: 1 }, 'verified.test_cases'],
      [judge, 'verified.expected'],
      [{ ...judge, judge_recipe_id: 'cpt_0123456789abcdefghjkmnpqrs', expected: 1 }, 'verified.judge_version_id'],
      [{ judge_recipe_id: 'rule', expected: 1 }, 'verified.judge_recipe_id', 404],
    ]
    for (const [verified, field, status = 400] of refused) {
      const answer = await gateway.api.call('POST', '/v1/wrap/verified', {
        key: gateway.tenant().key,
        body: { model: MODELS.anthropic, messages: CONVERSATION, verified },
      })
      expect(answer.status, `${field}: ${answer.text}`).to.equal(status)
      expect(answer.body.details.fields[0].field).to.match(new RegExp(`${field.replaceAll(/[.[\]]/g, '\\$&')}$`))
    }
    const empty = await ask({ test_cases: [one] }, { messages: [] })
    expect(empty.status).to.equal(400)
    expect(gateway.server('anthropic').bodies.length).to.equal(calls)
  })
})
