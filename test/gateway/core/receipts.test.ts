import { expect } from 'chai'
import {
  divideStream,
  receiptHeaders,
  receiptInHeaders,
  streamReceipt,
} from '../../../core/gateway/record/receipts/carry-receipt.ts'
import { signReceipt, type SignedReceipt } from '../../../core/gateway/record/receipts/sign-receipt.ts'
import { verifyAnswer } from '../../../core/gateway/record/receipts/verify-answer.ts'
import type { CallRecord } from '../../../core/gateway/record/call-record.ts'
import { hashJson, sha256 } from '../../../core/kernel/json/json.ts'
import { createSigningKey } from '../../../core/ledger/keys/signing-key.ts'
import { fallbackReason } from '../../../core/gateway/routing/route-facts.ts'
import { aCallRecord, routeFacts } from '../../support/providers/given-record.ts'

const signingKey = createSigningKey()
const other = createSigningKey()
const trusted = new Map([[signingKey.kid, signingKey.publicKey]])
const ANSWER = Buffer.from('{"choices":[{"message":{"content":"Paris it is, déjà"}}]}')

function sign(changes: Partial<CallRecord> = {}, answer: Uint8Array = ANSWER): SignedReceipt {
  const outputHash = sha256(answer).slice('sha256:'.length)
  const verifyUrl = 'http://127.0.0.1:8080/.well-known/jwks.json'
  const signed = signReceipt(aCallRecord({ outputHash, ...changes }), { signingKey, verifyUrl, keeps: 'content' })
  if (signed === null) throw new Error('an answered call has a receipt')
  return signed
}

const headersOf = (signed: SignedReceipt): string =>
  [
    'HTTP/1.1 200 OK',
    ...Object.entries(receiptHeaders(signed)).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')

/** The same bytes with each of them changed in turn. */
function* changedBytes(bytes: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at++) {
    for (const bit of [1, 0x20]) {
      const changed = Buffer.from(bytes)
      changed[at] = (bytes[at] ?? 0) ^ bit
      yield changed
    }
  }
}

describe('the receipt of a call', () => {
  it('has the fields of svc-audit-1 in their order, as the signed bytes', () => {
    const { encoded, receipt } = sign()
    const sent: object = JSON.parse(Buffer.from(encoded, 'base64url').toString())
    expect(sent).to.deep.equal(receipt)
    expect(Object.keys(sent).slice(0, 20)).to.deep.equal(
      'schema receipt_id timestamp namespace_id route_decision provider model artifact_id confidence fallback_reason input_hash output_hash capture_eligible capture_id redaction_applied input_tokens output_tokens cost_usd signing_key_id verify_url'.split(
        ' ',
      ),
    )
    expect(receipt).to.include({ schema: 'svc-audit-1', signing_key_id: signingKey.kid, outcome: 'whole' })
  })

  it('names the model that answered, the one that was asked for, and why others did not answer', () => {
    const attempts = [
      { provider: 'openai', model: 'gpt-4o', failure: 'rate_limited' as const, status: 429, ms: 5 },
      { provider: 'groq', model: 'llama', failure: 'connection' as const, status: null, ms: 5 },
      { provider: 'anthropic', model: 'claude-haiku-4-5', failure: null, status: 200, ms: 5 },
    ]
    const answer = { id: 'a', model: 'claude-haiku-4-5-20251001', choices: [], usage: null }
    const call = { provider: 'anthropic', model: 'claude-haiku-4-5', requestModel: 'gpt-4o', attempts, answer }
    const route = routeFacts({ fallbackReason: fallbackReason(attempts) })
    expect(sign({ ...call, route }).receipt).to.deep.include({
      provider: 'anthropic',
      model: 'claude-haiku-4-5',
      request_model: 'gpt-4o',
      response_model: 'claude-haiku-4-5-20251001',
      route_decision: 'frontier',
      fallback_reason: 'upstream_unreachable',
      failed_attempts: [
        { provider: 'openai', model: 'gpt-4o', reason: 'upstream_429', status: 429 },
        { provider: 'groq', model: 'llama', reason: 'upstream_unreachable', status: null },
      ],
    })
    const own = { decision: 'local' as const, artifactId: 'cmp_1', confidence: 0.9 }
    expect(sign({ provider: '.svc', route: routeFacts(own) }).receipt).to.deep.include({
      route_decision: 'local',
      artifact_id: 'cmp_1',
      confidence: 0.9,
    })
  })

  it('has null for an unknown cost, and says when tokens are estimated', () => {
    expect(sign({ costMicros: 180 }).receipt.cost_usd).to.equal(0.00018)
    expect(sign({ costMicros: null }).receipt.cost_usd).to.equal(null)
    const { usage } = aCallRecord()
    expect(sign({ usage: { ...usage, isEstimated: true } }).receipt.tokens_estimated).to.equal(true)
    expect(sign({ sent: { b: 1, a: [] } }).receipt.input_hash).to.equal(hashJson({ a: [], b: 1 }))
  })

  it('has no model name of any length, and none at all for a call that failed', () => {
    const answer = { id: '', model: 'x'.repeat(5000), choices: [], usage: null }
    expect(sign({ answer }).receipt.response_model).to.equal(null)
    expect(
      signReceipt(aCallRecord({ outcome: 'failed' }), { signingKey, verifyUrl: 'http://x', keeps: 'content' }),
    ).to.equal(null)
  })
})

describe('verifying an answer', () => {
  it('holds for the answer and its headers, by a trusted key', () => {
    const carried = receiptInHeaders(`HTTP/1.1 302 Found\r\nX-Svc-Receipt: old\r\n\r\n${headersOf(sign())}`)
    if (carried === null) throw new Error('the headers hold a receipt')
    expect(verifyAnswer(ANSWER, carried, trusted)).to.deep.include({ ok: true, trusted: 'trusted' })
    expect(verifyAnswer(ANSWER, carried, undefined)).to.deep.include({ ok: true, trusted: 'unknown_signer' })
    const strangers = new Map([[other.kid, other.publicKey]])
    expect(verifyAnswer(ANSWER, carried, strangers)).to.deep.include({ ok: false, trusted: 'untrusted' })
    // A key that takes the name of another.
    const named = new Map([[signingKey.kid, other.publicKey]])
    expect(verifyAnswer(ANSWER, carried, named)).to.deep.include({ ok: false, trusted: 'untrusted' })
  })

  for (const dialect of ['chat-completions', 'messages', 'responses'] as const) {
    it(`refuses a stream of ${dialect} of which any byte is changed`, () => {
      const content = Buffer.from('data: {"delta":"Paris"}\n\ndata: [DONE]\n\n')
      const signed = sign({}, content)
      const stream = Buffer.concat([content, Buffer.from(streamReceipt(dialect, signed, null).text)])
      const leftOut = streamReceipt(dialect, signed, 'storage_full')
      expect(leftOut.text).to.include('"capture_left_out":"storage_full"')
      expect(divideStream(Buffer.concat([content, Buffer.from(leftOut.text)]))).to.deep.equal(divideStream(stream))
      const whole = divideStream(stream)
      if (whole === null) throw new Error('the stream ends with a receipt')
      expect(Buffer.from(whole.answer).equals(content)).to.equal(true)
      expect(verifyAnswer(whole.answer, whole.carried, trusted).ok).to.equal(true)
      for (const changed of changedBytes(stream)) {
        const divided = divideStream(changed)
        if (divided === null) continue
        for (const keys of [trusted, undefined]) {
          expect(verifyAnswer(divided.answer, divided.carried, keys).ok, changed.toString()).to.equal(false)
        }
      }
      for (const cut of [stream.subarray(1), stream.subarray(0, -1), Buffer.concat([stream, Buffer.from('\n')])]) {
        const divided = divideStream(cut)
        expect(divided === null || !verifyAnswer(divided.answer, divided.carried, trusted).ok).to.equal(true)
      }
    })
  }

  it('refuses an answer or headers of which any byte is changed', () => {
    const signed = sign()
    const carried = receiptInHeaders(headersOf(signed))
    if (carried === null) throw new Error('the headers hold a receipt')
    for (const changed of changedBytes(ANSWER)) expect(verifyAnswer(changed, carried, trusted).ok).to.equal(false)
    for (const member of ['encoded', 'signature', 'keyId'] as const) {
      for (const changed of changedBytes(Buffer.from(carried[member]))) {
        const altered = { ...carried, [member]: changed.toString('latin1') }
        expect(verifyAnswer(ANSWER, altered, undefined).ok, member).to.equal(false)
      }
    }
    expect(receiptInHeaders(`${headersOf(signed).trimEnd()}\r\nX-Svc-Receipt: another\r\n`)).to.equal(null)
  })
})
