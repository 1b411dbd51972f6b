import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { charsIn, charsOfBody } from '../../../../core/gateway/calls/estimate.ts'
import { targetOf } from '../../../../core/gateway/calls/target.ts'
import { tokensOf, worstCaseOf } from '../../../../core/gateway/calls/worst-case.ts'
import { gateBody, type GateRules } from '../../../../core/gateway/gate/gate-body.ts'
import { openLargeGate } from '../../../../core/gateway/gate/large/large-gate.ts'
import { DEFAULT_SETTINGS } from '../../../../core/gateway/gate/namespaces/settings.ts'
import { compileForgetList, subjectOf } from '../../../../core/gateway/gate/privacy/forget-list.ts'
import { bytesOfBase64 } from '../../../../core/gateway/protocol/media/base64.ts'
import { rulesOf } from '../../../../core/gateway/captures/recording/record-call.ts'
import { newTimedId } from '../../../../core/kernel/ids.ts'
import { openMacKey } from '../../../../core/kernel/json/mac.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { createCores } from '../../../../core/kernel/threads/cores.ts'
import { longestTurn } from '../../../support/workflows/longest-turn.ts'
import { pngOf } from '../../../support/providers/images.ts'

const key = openMacKey('key_1', 'secret')
const forgotten = compileForgetList({ subjects: [subjectOf(key, 'Canary Bird')], patterns: [] }, key)
const rules: GateRules = {
  namespace: 'x',
  settings: { ...DEFAULT_SETTINGS, proprietary_terms: ['Quiet Harbour'] },
  guardrails: [{ name: 'colour', pattern: 'glob:gre?n', action: 'rewrite', replacement: 'grey' }],
  policy: 'redact',
  isRaw: false,
  mostPixels: 1e8,
}

const image = (bytes: Buffer): JsonObject => ({
  type: 'image_url',
  image_url: { url: `data:image/png;base64,${bytes.toString('base64')}` },
})
const asked = (parts: readonly JsonObject[]): JsonObject => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: [...parts] }],
})

describe('a large body at the gate', () => {
  const gate = openLargeGate(createCores(2))
  after(async () => await gate.close())

  it('passes as any other body, with the same findings', async () => {
    const letter = Buffer.from('A green letter of Canary Bird to ada@example.org, not VAR_EMAIL_1').toString('base64')
    const sound = { type: 'input_audio', input_audio: { format: 'wav', data: randomBytes(3000).toString('base64') } }
    const body = asked([
      { type: 'text', text: 'From Quiet Harbour with 078-05-1120 to ada@example.org' },
      { type: 'file', file: { filename: 'a.txt', file_data: `data:text/plain;base64,${letter}` } },
      image(pngOf(10, 10)),
      sound,
    ])
    for (const policy of ['redact', 'allow'] as const) {
      const [large, small] = [
        await gate.pass('ten_1', body, { ...rules, policy }, forgotten),
        gateBody(body, { ...rules, policy }, forgotten),
      ]
      expect(large.body).to.deep.equal(small.body)
      expect(large.kept).to.deep.equal(small.kept)
      expect([large.facts, large.isFlagged]).to.deep.equal([small.facts, small.isFlagged])
      expect(large.placeholders.given).to.deep.equal(small.placeholders.given)
      expect(large.placeholders.of('email', 'bob@example.org')).to.equal('VAR_EMAIL_3')
      expect(tokensOf(large.body)).to.equal(tokensOf(small.body))
      expect(charsOfBody(large.body)).to.equal(charsIn(small.body))
    }
  })

  it('is refused as any other body', async () => {
    const pass = async (body: JsonObject, more: Partial<GateRules> = {}) =>
      await gate.pass('ten_1', body, { ...rules, ...more }, forgotten).catch((error: unknown) => error)
    const broken = asked([{ type: 'image_url', image_url: { url: 'data:image/png;base64,@@' } }])
    expect(await pass(broken)).to.include({
      code: 'validation_failed',
      message: 'messages[0].content[0].image_url.url: must be base64',
    })
    const block = [{ name: 'no', pattern: 'keyword:canary', action: 'block' }] as const
    expect(await pass(asked([{ type: 'text', text: 'a canary' }]), { guardrails: block })).to.include({
      code: 'blocked_by_guardrail',
    })
    const written = asked([{ type: 'text', text: '078-05-1120' }])
    expect(await pass(written, { policy: 'block' })).to.deep.nested.include({
      code: 'privacy_blocked',
      'details.classes': ['ssn'],
    })
  })

  it('of 20 MB of files holds the event loop for moments', async () => {
    const files = Array.from({ length: 4 }, () => image(Buffer.concat([pngOf(10, 10), randomBytes(3_750_000)])))
    const body = asked([{ type: 'text', text: 'From Quiet Harbour to ada@example.org' }, ...files])
    await gate.pass('ten_1', asked([]), rules, forgotten)
    const target = targetOf('gpt-4o-mini')
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      const { longestMs } = await longestTurn(async () => {
        const passed = await gate.pass('ten_1', body, rules, forgotten)
        expect(worstCaseOf(target, passed.body, undefined)).to.be.below(100_000)
        expect(charsOfBody(passed.body)).to.be.below(200)
        expect(passed.facts.classes).to.deep.equal(['email', 'proprietary_term'])
      })
      times.push(longestMs)
    }
    // Processor time, which other work on the machine does not change; the least, since a turn may also collect garbage of others.
    expect(Math.min(...times), times.join()).to.be.below(60)
  })

  it('is recorded beside the event loop too, also where the prompt is none of it', async () => {
    const recorder = {
      tenantId: 'ten_1',
      namespace: 'x',
      requestId: 'req_1',
      keyId: null,
      memberId: null,
      teamId: null,
    }
    const content = 'Write to ada@example.org. '.repeat(80_000)
    const call = {
      id: newTimedId('cap', new Date()),
      at: new Date(),
      source: 'multi_turn' as const,
      kind: 'chat',
      provider: null,
      model: null,
      prompt: '',
      response: '',
      body: { messages: [{ role: 'assistant', content }] },
      answer: null,
      latencyUs: null,
      conversationId: null,
    }
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      const { longestMs } = await longestTurn(async () => {
        const recorded = await gate.recordCall(recorder, call, rulesOf(rules.settings, forgotten))
        expect(recorded.kind === 'capture' && recorded.capture.facts.redactionClasses).to.deep.equal(['email'])
      })
      times.push(longestMs)
    }
    expect(Math.min(...times), times.join()).to.be.below(60)
  })
})

describe('base64 in files', () => {
  it('is distinguished from any other text in one pass', () => {
    const isBase64 = (text: string): boolean => {
      const plain = text.replaceAll(/\s+/g, '')
      const digits = plain.replace(/={1,2}$/, '')
      return /^[\w+/-]+$/.test(digits) && digits.length % 4 !== 1 && plain.length % 4 !== 1
    }
    const letters = ['A', 'z', '0', '+', '/', '-', '_', '=', ' ', '\n', '@', 'é', 'Ł', '😀', '.']
    for (let i = 0; i < 20_000; i++) {
      const bytes = randomBytes(1 + (i % 9))
      const text = [...bytes].map((byte, at) => letters[byte % (at === 3 ? letters.length : 7 + (i % 9))]).join('')
      expect(bytesOfBase64(text) !== null, JSON.stringify(text)).to.equal(isBase64(text))
    }
    const bytes = randomBytes(1000)
    for (const text of [
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
    ])
      expect(bytesOfBase64(text)?.equals(bytes)).to.equal(true)
    expect(bytesOfBase64(`${'A'.repeat(2000)} not base64.`)).to.equal(null)
  })
})
