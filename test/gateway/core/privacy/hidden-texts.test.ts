import { expect } from 'chai'
import { worstCaseOf } from '../../../../core/gateway/calls/worst-case.ts'
import { charsIn } from '../../../../core/gateway/calls/estimate.ts'
import { targetOf } from '../../../../core/gateway/calls/target.ts'
import { applyRules } from '../../../../core/gateway/gate/guardrails/apply-rules.ts'
import { DEFAULT_SETTINGS } from '../../../../core/gateway/gate/namespaces/settings.ts'
import { restoreJson } from '../../../../core/gateway/gate/privacy/restore-json.ts'
import type { PrivacyPolicy } from '../../../../core/gateway/gate/privacy/classes.ts'
import { shieldBody, type Shielded } from '../../../../core/gateway/gate/privacy/shield.ts'
import { compileTerms } from '../../../../core/gateway/gate/privacy/scan/terms.ts'
import type { Json, JsonObject } from '../../../../core/kernel/json/json.ts'

const SSN = '078-05-1120'
const EMAIL = 'ada@example.org'
const SUBJECT = 'Canary Bird'
const SECRETS = `${SSN} ${EMAIL} ${SUBJECT}`
const BASE64 = Buffer.from(SECRETS).toString('base64')

const forgotten = compileTerms([{ kind: 'forgotten', terms: [SUBJECT] }])

async function shield(body: JsonObject, policy: PrivacyPolicy): Promise<Shielded> {
  const settings = { ...DEFAULT_SETTINGS, privacy_policy: policy }
  return await Promise.resolve(shieldBody(body, { namespace: 'x', settings, forgotten, policy, isRaw: false }))
}

const content = (part: Json): JsonObject => ({ messages: [{ role: 'user', content: [part] }] })
const schema = (parameters: JsonObject): JsonObject => ({
  tools: [{ type: 'function', function: { name: 'find', parameters } }],
})
const call = (args: Json): JsonObject => ({
  messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'find', input: args }] }],
})

/** Places of a body where a text may stand, each with the same secrets. */
const PLACES: Readonly<Record<string, JsonObject>> = {
  'a document of plain text': content({
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: SECRETS },
  }),
  'a text in the form of a data URI': content({ type: 'text', text: `data:text/plain;base64,${BASE64}` }),
  'a text behind the head of a data URI': content({ type: 'text', text: `data:text/plain;base64,${SECRETS}` }),
  'an input of embeddings': { input: [`data:image/png;base64,iVBO ${SECRETS}`] },
  'a text behind a long unbroken one': content({ type: 'text', text: `${'A'.repeat(2001)} ${SECRETS}` }),
  'a document in base64': content({
    type: 'document',
    source: { type: 'base64', media_type: 'text/plain', data: BASE64 },
  }),
  'a document of another type': content({
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: BASE64 },
  }),
  'inline data': { contents: [{ parts: [{ inlineData: { mimeType: 'text/csv', data: BASE64 } }] }] },
  'a file': content({ type: 'input_file', filename: 'a.txt', file_data: `data:text/plain;base64,${BASE64}` }),
  'a file without a media type': content({ type: 'file', file: { filename: 'a.txt', file_data: BASE64 } }),
  'a data URI with escapes': content({
    type: 'image_url',
    image_url: { url: `data:text/plain,${encodeURIComponent(SECRETS)}` },
  }),
  'members of an enum': schema({ type: 'object', properties: { to: { enum: [SSN, EMAIL, SUBJECT] } } }),
  'a constant': schema({ type: 'object', properties: { to: { const: SECRETS } } }),
  'names of properties': schema({
    type: 'object',
    properties: { [SECRETS]: { type: 'string' } },
    required: [SECRETS],
  }),
  'names of definitions': schema({
    $defs: { [SECRETS]: { type: 'string' } },
    properties: { to: { $ref: `#/$defs/${encodeURIComponent(SECRETS)}` } },
  }),
  'anchors of definitions': schema({
    $defs: { a: { $anchor: SECRETS } },
    properties: { to: { $ref: `#${encodeURIComponent(SECRETS)}` } },
  }),
  'a schema of the answer': {
    text: { format: { type: 'json_schema', name: 'x', schema: { properties: { to: { enum: [SECRETS] } } } } },
  },
  'names of arguments': call({ [SECRETS]: 1 }),
  'names of arguments in JSON': {
    messages: [{ tool_calls: [{ function: { name: 'find', arguments: JSON.stringify({ [SECRETS]: 1 }) } }] }],
  },
  'the name of a person': { messages: [{ role: 'user', name: SECRETS, content: 'x' }] },
  'sequences that stop': { stop: [SECRETS] },
  'sequences that stop a message': { stop_sequences: [SECRETS] },
  labels: { metadata: { [SECRETS]: 'x' } },
}

describe('sensitive text in any place of a body', () => {
  for (const [place, body] of Object.entries(PLACES)) {
    it(`is refused, redacted and restored: ${place}`, async () => {
      const error = await shield(body, 'block').catch((thrown: unknown) => thrown)
      expect(error).to.nested.include({ code: 'privacy_blocked' })
      expect(error).to.have.deep.nested.property('details.classes', ['email', 'forgotten', 'ssn'])
      const { body: sent, placeholders } = await shield(body, 'redact')
      const wire = decoded(sent)
      for (const secret of [SSN, EMAIL, SUBJECT]) expect(wire).not.to.contain(secret)
      expect(wire).to.contain('VAR_SSN_1').and.contain('VAR_EMAIL_1').and.contain('VAR_FORGOTTEN_1')
      expect(decoded(restoreJson(JSON.parse(wire), placeholders)))
        .to.contain(SSN)
        .and.contain(SUBJECT)
    })
  }

  it('is seen in names of results and labels, which no schema says, also where it is a key or an account', async () => {
    const [key, account] = ['sk-proj-Zx8Qm2Lw9Kd4Tn7Vb1Rc6Yp3', 'DE89370400440532013000']
    const bodies: readonly JsonObject[] = [
      { metadata: { [key]: 'x', [account]: 'y' } },
      { contents: [{ parts: [{ functionResponse: { name: 'f', response: { [key]: 'x', [account]: 'y' } } }] }] },
    ]
    for (const body of bodies) {
      const { body: sent, facts } = await shield(body, 'redact')
      expect(JSON.stringify(sent)).not.to.contain(key).and.not.to.contain(account)
      expect(facts.classes).to.deep.equal(['account_number', 'api_key'])
    }
  })

  it('is seen behind escapes in arguments that nest deeper than they are read', async () => {
    const escaped = `"\\u0061da@example.org \\u0030${SSN.slice(1)} \\u0043anary Bird"`
    const deep = `${'['.repeat(1000)}${escaped}${']'.repeat(1000)}`
    const body: JsonObject = { messages: [{ tool_calls: [{ function: { name: 'find', arguments: deep } }] }] }
    const { body: sent, facts } = await shield(body, 'redact')
    expect(facts.classes).to.deep.equal(['email', 'forgotten', 'ssn'])
    expect(JSON.stringify(sent)).to.contain('VAR_SSN_1').and.contain('VAR_EMAIL_1').and.contain('VAR_FORGOTTEN_1')
  })

  it('leaves a reference alone where what it points to keeps its name', async () => {
    const body = schema({
      components: { schemas: { [SUBJECT]: { type: 'string' } } },
      properties: { to: { $ref: `#/components/schemas/${encodeURIComponent(SUBJECT)}` } },
    })
    const { body: sent } = await shield(body, 'redact')
    const names = [...JSON.stringify(sent).matchAll(/schemas(?:":\{"|\/)([^"]+)"/g)].map(([, name = '']) => name)
    expect(names.map(decodeURIComponent)).to.deep.equal([SUBJECT, SUBJECT])
  })

  it('is refused where the name of a tool holds it, with the place', async () => {
    const error = await shield({ tools: [{ name: 'mail' }, { name: SSN }] }, 'redact').catch(
      (thrown: unknown) => thrown,
    )
    expect(error).to.have.deep.nested.property('details.places', ['tools[1].name'])
    expect((await shield({ tools: [{ name: 'mail' }] }, 'redact')).facts.classes).to.deep.equal([])
  })

  it('is not seen in names of tools, properties and arguments that only look like a key, a number or a host', async () => {
    for (const name of [
      'npm_installDependencies',
      'hf_searchModelsAndDatasets',
      'lin_createIssueComment',
      'customer_report2024',
      'search.local',
    ]) {
      const parameters = { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] }
      const body: JsonObject = {
        tools: [{ type: 'function', function: { name, parameters } }],
        messages: [{ role: 'assistant', tool_calls: [{ function: { name, arguments: '{}' } }] }],
      }
      for (const policy of ['redact', 'block'] as const) {
        expect((await shield(body, policy)).body, name).to.equal(body)
        const given = call({ [name]: 1 })
        expect((await shield(given, policy)).body, name).to.equal(given)
      }
    }
  })

  it('is seen in names that look like a key', async () => {
    for (const name of [`api_key:${SSN}`, `sk-${SSN}-abcdefghijklmn12`, `find_${SSN}_now`, `find-${SSN}`]) {
      const error = await shield({ tools: [{ name }] }, 'redact').catch((thrown: unknown) => thrown)
      expect(error, name).to.have.deep.nested.property('details.places', ['tools[0].name'])
      const { body } = await shield(call({ [name]: 1 }), 'redact')
      expect(JSON.stringify(body), name).to.contain('VAR_SSN_1').and.not.to.contain(SSN)
    }
    for (const name of ['find_1078-05-11203', 'find-2-078-05-1120', 'v078-05-1120-4', 'find_000-05-1120']) {
      expect((await shield({ tools: [{ name }] }, 'redact')).facts.classes, name).to.deep.equal([])
    }
  })

  it('changes a definition and what points to it alike', async () => {
    const named = { $defs: { [EMAIL]: {}, 'a/b~c': {} } }
    const pointed = { to: { $ref: `#/$defs/${encodeURIComponent(EMAIL)}` }, at: { $ref: '#/$defs/a~1b~0c' } }
    const { body } = await shield(schema({ ...named, properties: pointed }), 'redact')
    expect(body).to.deep.equal(
      schema({
        $defs: { VAR_EMAIL_1: {}, 'a/b~c': {} },
        properties: { to: { $ref: '#/$defs/VAR_EMAIL_1' }, at: { $ref: '#/$defs/a~1b~0c' } },
      }),
    )
  })

  it('stays a number where a schema fixes it, and is refused with the place', async () => {
    const body = schema({ properties: { card: { type: 'integer', enum: [4111111111111111] } } })
    const error = await shield(body, 'redact').catch((thrown: unknown) => thrown)
    expect(error).to.have.deep.nested.property('details.places', [
      'tools[0].function.parameters.properties.card.enum[0]',
    ])
    const { body: sent, kept, facts } = await shield(body, 'allow')
    expect([sent, facts.classes]).to.deep.equal([body, ['payment_card']])
    expect(JSON.stringify(kept)).to.contain('"VAR_PAYMENT_CARD_1"').and.not.to.contain('4111')
  })

  it('stays in a definition and in what points to it', async () => {
    const name = 'customer_report2024'
    const body = schema({ $defs: { [name]: { type: 'string' } }, properties: { to: { $ref: `#/$defs/${name}` } } })
    expect((await shield(body, 'redact')).body).to.equal(body)
  })

  it('is seen by guardrails in names and fixed values, which no rewrite changes', () => {
    const rule = { name: 'canary', pattern: 'canary', replacement: 'x' } as const
    const bodies: Readonly<Record<string, JsonObject>> = {
      properties: schema({ properties: { canary: { type: 'string' } } }),
      required: schema({ required: ['canary'] }),
      enum: schema({ properties: { to: { enum: ['canary'] } } }),
      const: schema({ properties: { to: { const: { canary: 'canary' } } } }),
      pattern: schema({ properties: { to: { pattern: '^canary$' } } }),
      arguments: call({ canary: 1 }),
      'arguments in JSON': { messages: [{ tool_calls: [{ function: { arguments: '{ "canary": 1 }' } }] }] },
    }
    for (const [place, body] of Object.entries(bodies)) {
      const rewritten = applyRules(body, [{ ...rule, action: 'rewrite' }])
      expect(rewritten.body, place).to.equal(body)
      expect(rewritten.rewrites, place).to.deep.equal([])
      expect(applyRules(body, [{ ...rule, action: 'warn' }]).warnings, place).to.deep.equal(['canary'])
      expect(applyRules(body, [{ ...rule, action: 'block' }]).blocked?.rule.name, place).to.equal('canary')
    }
    const pointed = schema({ $defs: { canary: {} }, properties: { to: { $ref: '#/$defs/canary' } } })
    expect(applyRules(pointed, [{ ...rule, action: 'rewrite' }]).body).to.equal(pointed)
    expect(JSON.stringify(applyRules(call({ to: 'canary' }), [{ ...rule, action: 'rewrite' }]).body)).to.contain(
      '"to":"x"',
    )
  })

  it('is seen by guardrails inside of files', () => {
    const rule = { name: 'ssn', pattern: 'keyword:canary', action: 'block' } as const
    const seen = applyRules(content({ type: 'text', text: `data:text/plain;base64,${BASE64}` }), [rule])
    expect(seen.blocked?.rule.name).to.equal('ssn')
  })

  it('is not sought in images, sounds and what providers signed', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex').toString('base64')
    const parts = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      { type: 'redacted_thinking', data: BASE64 },
      { type: 'thinking', thinking: 'x', signature: BASE64 },
    ]
    const body: JsonObject = { messages: [{ role: 'assistant', content: parts }] }
    expect((await shield(body, 'redact')).body).to.equal(body)
  })
})

describe('the most that a call can cost', () => {
  const target = targetOf('gpt-4o-mini')
  const most = (body: JsonObject): number => worstCaseOf(target, body, undefined) ?? expect.fail('no price')
  const long = 'The parcel is blue. '.repeat(20_000)
  const asked = (text: string): JsonObject => ({ max_tokens: 10, messages: [{ role: 'user', content: text }] })

  it('counts a text whatever it begins with', () => {
    for (const head of ['https:', `https://a.example/`, 'A'.repeat(2001), 'data:image/png;base64,', '']) {
      expect(most(asked(head + long)), head.slice(0, 20)).to.be.at.least(most(asked(long)))
    }
    const image = (url: string): JsonObject => ({ messages: [{ content: [{ image_url: { url } }] }], max_tokens: 10 })
    expect(most(image(`https:${long}`))).to.be.at.least(most(asked(long)))
    expect(most(image('https://a.example/i.png'))).to.be.above(most(asked('https://a.example/i.png')))
    expect(most(image(`data:image/png;base64,${'iVBORw0KGgoA'.repeat(50_000)}`))).to.be.below(most(asked(long)))
  })

  it('counts what a tool is given by its bytes, also in the form of a file', () => {
    const payload = 'iVBORw0KGgoA'.repeat(50_000)
    const file = { type: 'base64', media_type: 'image/png', data: payload }
    const calls = (block: JsonObject): JsonObject => ({ max_tokens: 10, messages: [{ content: [block] }] })
    expect(most(calls({ type: 'image', source: file }))).to.be.below(most(asked(payload)))
    expect(most(calls({ type: 'tool_use', input: { file } }))).to.be.at.least(most(asked(payload)))
    expect(most(calls({ functionCall: { args: { url: `data:image/png;base64,${payload}` } } }))).to.be.at.least(
      most(asked(payload)),
    )
  })

  it('ignores an output bound below one token', () => {
    const unbounded = most({ messages: [] })
    for (const bound of [-1, 0, 0.5]) {
      expect(most({ messages: [], max_tokens: bound })).to.be.at.least(unbounded)
      expect(most({ messages: [], generationConfig: { maxOutputTokens: bound } })).to.be.at.least(unbounded)
    }
  })

  it('is not estimated at nothing for a text behind a long unbroken one', () => {
    expect(charsIn({ input: 'A'.repeat(2001) + long })).to.be.above(long.length)
  })
})

/** The body as JSON with what stands in base64 and in escapes in clear. */
function decoded(body: Json): string {
  return JSON.stringify(body, (_name, value: unknown) => {
    if (typeof value !== 'string') return value
    const payload = value.replace(/^data:[^,]*,/, '')
    if (value.startsWith('data:') && !value.includes(';base64')) return decodeURIComponent(payload)
    return /^[A-Za-z0-9+/]{40,}=*$/.test(payload) ? Buffer.from(payload, 'base64').toString('utf8') : value
  })
}
