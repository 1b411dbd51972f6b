import { expect } from 'chai'
import { CaptureCheck, signCaptures, type ChainedRow } from '../../../core/gateway/captures/check-captures.ts'
import { appendCapture, GENESIS_HASH, type CaptureHead } from '../../../core/gateway/captures/digest.ts'
import { beginsQuarantined, measureRisk, outputSignals, riskScore } from '../../../core/gateway/captures/risk.ts'
import { decodeSpill, encodeCapture, encodePacked } from '../../../core/gateway/captures/spill-frames.ts'
import { templateSignature } from '../../../core/gateway/captures/template.ts'
import { answerText, requestTexts } from '../../../core/gateway/captures/texts.ts'
import { jsonParts } from '../../../core/kernel/json/json-pieces.ts'
import { createSigningKey } from '../../../core/ledger/keys/signing-key.ts'
import { aCapture } from '../../support/db/given-captures.ts'

const TENANT = 'ten_00000000000000000000000001'
const CHAIN = { id: 7, begunFor: TENANT, namespace: 'default' }
const START: CaptureHead = { count: 0, hash: GENESIS_HASH }

describe('the chain of captures', () => {
  const signer = createSigningKey()
  const trusted = new Map([[signer.kid, signer.publicKey]])
  const rows: ChainedRow[] = []
  let head = START
  for (let i = 0; i < 5; i++) {
    const { facts } = aCapture(TENANT, { question: `Question ${i}` })
    const prevHash = head.hash
    head = appendCapture(head, facts)
    rows.push({ facts, seq: head.count, prevHash, chainHash: head.hash })
  }
  const checkpoint = { count: 5, document: signCaptures(CHAIN, head, new Date(), signer) }
  const check = (kept: readonly ChainedRow[], stored: CaptureHead, checkpoints = [checkpoint], chain = CHAIN) => {
    const walk = new CaptureCheck({ chain, after: START, checkpoints, trusted })
    for (const row of kept) walk.take(row)
    return walk.finish(stored)
  }

  it('verifies with its signed checkpoint', () => {
    expect(check(rows, head)).to.include({ ok: true, checked: 5, checkpoints: 1, brokenAt: null })
  })

  it('is broken at a changed, a missing and a swapped row', () => {
    const changed = rows.map((row) => (row.seq === 3 ? { ...row, facts: { ...row.facts, costMicros: 0 } } : row))
    expect(check(changed, head)).to.include({ ok: false, brokenAt: 3, reason: 'row_mismatch' })
    expect(check(rows.toSpliced(1, 1), head)).to.include({ ok: false, brokenAt: 2, reason: 'sequence_gap' })
    const swapped = [...rows.slice(0, 3), ...rows.slice(3).toReversed()]
    expect(check(swapped, head)).to.include({ ok: false, brokenAt: 4 })
  })

  it('is broken when its end is cut off, also with a head that agrees', () => {
    const last = rows[3]
    if (last === undefined) throw new Error('no row')
    const cut = check(rows.slice(0, 4), { count: 4, hash: last.chainHash })
    expect(cut).to.include({ ok: false, brokenAt: 5, reason: 'checkpoint_mismatch' })
  })

  it('takes no checkpoint of another chain, another namespace or an unknown key', () => {
    const stranger = createSigningKey()
    for (const document of [
      signCaptures({ ...CHAIN, id: 8 }, head, new Date(), signer),
      signCaptures({ ...CHAIN, namespace: 'other' }, head, new Date(), signer),
      signCaptures(CHAIN, head, new Date(), stranger),
    ]) {
      expect(check(rows, head, [{ count: 5, document }])).to.include({ ok: false, reason: 'checkpoint_mismatch' })
    }
  })
})

describe('records of the spill log', () => {
  it('come back as they were, up to one that was not written to its end', () => {
    const captures = [aCapture(TENANT), aCapture(TENANT, { question: 'Ünïcode \u0000 and "quotes"' })]
    const file = Buffer.concat(captures.map((capture) => encodeCapture(capture)))
    expect(decodeSpill(file)).to.deep.equal({ captures, tornBytes: 0 })
    const [first] = captures
    for (const bytes of [file.subarray(0, -1), file.subarray(0, -file.length / 3)]) {
      const { captures: whole, tornBytes } = decodeSpill(bytes)
      expect(whole).to.deep.equal([first])
      expect(tornBytes).to.be.greaterThan(0)
    }
  })

  it('hold a large content apart, in parts of any size', async () => {
    const { content, ...facts } = aCapture(TENANT)
    const packed = await jsonParts({ ...content, prompt: 'x'.repeat(200_000) })
    const record = Buffer.concat(await encodePacked({ ...facts, content: null, packed }))
    const [found] = decodeSpill(Buffer.concat([record, encodeCapture(aCapture(TENANT))])).captures
    expect(found).to.deep.equal({ ...facts, content: null, packed: [Buffer.concat(packed)] })
  })

  it('end at a record whose bytes changed', () => {
    const file = Buffer.from(encodeCapture(aCapture(TENANT)))
    file[file.length - 5] = 0
    expect(decodeSpill(file).captures).to.deep.equal([])
    expect(decodeSpill(file).tornBytes).to.equal(file.length)
  })
})

describe('what is read of a call', () => {
  it('is the text of every dialect, without images', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const chat = {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hi' }, image] },
      ],
    }
    const messages = { system: [{ type: 'text', text: 'Be brief.' }], messages: [{ role: 'user', content: 'Hi' }] }
    const google = {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    }
    const responses = {
      instructions: 'Be brief.',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    }
    for (const body of [chat, messages, google, responses]) {
      expect(requestTexts(body)).to.deep.equal({
        prompt: 'system: Be brief.\n\nuser: Hi',
        system: 'Be brief.',
        lastUser: 'Hi',
      })
    }
    expect(requestTexts({ input: ['one', 'two'] }).prompt).to.equal('one\n\ntwo')
    const [one, two] = ['one', 'two'].map((text) => ({ content: { parts: [{ text }] } }))
    expect(requestTexts(one ?? {})).to.include({ prompt: 'one', lastUser: 'one' })
    expect(requestTexts({ requests: [one ?? {}, two ?? {}] }).prompt).to.equal('one\n\ntwo')
    const contents = [{ role: 'user', parts: [{ text: 'one' }] }]
    for (const member of ['generateContentRequest', 'generate_content_request']) {
      const whole = { contents, systemInstruction: { parts: [{ text: 'two' }] } }
      expect(requestTexts({ [member]: whole }).prompt).to.equal('system: two\n\nuser: one')
    }
    expect(requestTexts({ input: 'a\u0000b\ud800' }).prompt).to.equal('a\ufffdb\ufffd')
    expect(answerText(null)).to.equal('')
  })

  it('has one template signature whatever its numbers, names in quotes and addresses are', () => {
    const of = (lastUser: string, system = '') => templateSignature({ system, lastUser })
    const one = of('Translate "house" for order 17: https://a.test/x')
    expect(one).to.match(/^ts1:[0-9a-f]{16}$/)
    expect(of('Translate "tree" for order 4,200: https://b.test')).to.equal(one)
    expect(of('Summarise "tree" for order 4: x')).to.not.equal(one)
    expect(of('Translate "house" for order 17: x', 'Be brief.')).to.not.equal(one)
    expect(of('  ')).to.equal(null)
  })

  it('has a risk of the measured parts alone', () => {
    expect(measureRisk({ redactionClasses: null, response: null, outcome: 'whole' })).to.deep.equal({ incomplete: 0 })
    expect(riskScore({ incomplete: 0 })).to.equal(0)
    expect(riskScore({ pii: 1, incomplete: 1 })).to.equal(0.72)
    expect(outputSignals('a'.repeat(40_000))).to.have.length(4)
    const parts = measureRisk({ redactionClasses: ['api_key'], response: 'a'.repeat(40_000), outcome: 'left' })
    expect(beginsQuarantined(riskScore(parts), parts)).to.equal(true)
  })
})
