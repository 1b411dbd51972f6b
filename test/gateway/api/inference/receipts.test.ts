import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { expect } from 'chai'
import OpenAI from 'openai'
import type { AuditReceipt } from '../../../../core/gateway/record/receipts/audit-receipt.ts'
import { divideStream, receiptInHeaders } from '../../../../core/gateway/record/receipts/carry-receipt.ts'
import { verifyAnswer } from '../../../../core/gateway/record/receipts/verify-answer.ts'
import { hashJson } from '../../../../core/kernel/json/json.ts'
import { trustKeys } from '../../../../core/ledger/keys/jwk.ts'
import { verifyText } from '../../../../core/ledger/keys/signing-key.ts'
import { runCli } from '../../../support/cli/run-cli.ts'
import { snippetsOf } from '../../../overview/api/docs/snippets.ts'
import { MODELS, useGateway } from './given-gateway.ts'

const PYTHON = process.env['SVC_CLIENT_PYTHON'] ?? ''
const itInPython = PYTHON === '' ? it.skip : it
const MESSAGES = [{ role: 'user' as const, content: 'The capital?' }]
const CONTENTS = [{ role: 'user', parts: [{ text: 'The capital?' }] }]

/** An answer with what `curl -D` would write of it, trailers included. */
interface RawAnswer {
  readonly status: number
  readonly headers: string
  readonly body: Buffer
}

describe('receipts of calls', () => {
  const gateway = useGateway()
  const usage = { input: 100, cached: 40, output: 7 }

  const ask = async (path: string, body: object, headers: Record<string, string> = {}): Promise<RawAnswer> => {
    const sent = request(`${gateway.api.url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': gateway.tenant().key, 'content-type': 'application/json', ...headers },
    }).end(JSON.stringify(body))
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject)
    })
    const bytes = await buffer(response)
    const linesOf = (pairs: readonly string[]): string[] =>
      pairs.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${pairs[i + 1]}`] : []))
    const head = [`HTTP/1.1 ${response.statusCode}`, ...linesOf(response.rawHeaders), '']
    const text = [...head, ...linesOf(response.rawTrailers), ''].join('\r\n')
    return { status: response.statusCode ?? 0, headers: text, body: bytes }
  }
  /** The receipt of an answer, verified by the published keys, from the headers and from the end where it is there. */
  const receiptOf = async ({ headers, body }: RawAnswer): Promise<AuditReceipt & { readonly isAtEnd: boolean }> => {
    const jwks = await gateway.api.call('GET', '/.well-known/jwks.json')
    const keys = trustKeys(jwks.body.keys)
    const divided = divideStream(body)
    const inHeaders = receiptInHeaders(headers)
    if (inHeaders === null) throw new Error(`no receipt in ${headers}`)
    if (divided !== null) expect(divided.carried).to.deep.equal(inHeaders)
    const { ok, receipt, checks } = verifyAnswer(divided?.answer ?? body, inHeaders, keys)
    expect(ok, JSON.stringify(checks)).to.equal(true)
    if (receipt === null) throw new Error('verified answers have a receipt')
    return { ...receipt, isAtEnd: divided !== null }
  }
  const messagesBody = (model: string) => ({ model, max_tokens: 64, messages: MESSAGES })
  const google = (model: string, method: string) => `/v1beta/models/${model}:${method}`

  it('verify in each dialect, passed through and translated, whole and streamed', async () => {
    gateway.answer({ texts: ['Paris it is'], usage })
    for (const [provider, model] of Object.entries(MODELS)) {
      const facts = { provider, model, outcome: 'whole', input_tokens: 100, output_tokens: 7, tokens_estimated: false }
      const chat = { model, messages: MESSAGES }
      const calls: readonly (readonly [path: string, body: object, atEnd: boolean])[] = [
        ['/v1/chat/completions', chat, false],
        ['/v1/chat/completions', { ...chat, stream: true }, true],
        ['/v1/messages', messagesBody(model), false],
        ['/v1/messages', { ...messagesBody(model), stream: true }, true],
        ['/v1/responses', { model, input: 'The capital?' }, false],
        ['/v1/responses', { model, input: 'The capital?', stream: true }, true],
        [google(model, 'generateContent'), { contents: CONTENTS }, false],
        [google(model, 'streamGenerateContent?alt=sse'), { contents: CONTENTS }, false],
      ]
      for (const [path, body, atEnd] of calls) {
        const answer = await ask(path, body)
        const receipt = await receiptOf(answer)
        expect(receipt, path).to.include({ ...facts, request_model: model, isAtEnd: atEnd })
        expect(receipt.cost_usd, path).to.be.greaterThan(0)
        if (!path.includes('models')) expect(receipt.input_hash, path).to.equal(hashJson({ ...body }))
      }
    }
  })

  it('are there for embeddings and moderations, and not for errors', async () => {
    const vectors = await ask('/v1/embeddings', { model: 'text-embedding-3-small', input: ['a', 'b'] })
    expect(await receiptOf(vectors)).to.include({ provider: 'openai', output_tokens: 0, outcome: 'whole' })
    expect(await receiptOf(await ask('/v1/moderations', { input: 'x' }))).to.include({ input_tokens: 0 })
    for (const [path, body] of [
      ['/v1/embeddings', { model: 'text-embedding-3-small', input: 'a', stream: true }],
      ['/v1/moderations', { input: 'x', stream: true }],
    ] as const) {
      const streamed = await ask(path, body)
      expect(streamed.status, path).to.equal(400)
      expect(JSON.parse(streamed.body.toString()).error, path).to.deep.include({ param: 'stream' })
    }
    gateway.answer({ status: 400, message: 'no' })
    const refused = await ask('/v1/chat/completions', { model: MODELS.openai, messages: MESSAGES })
    expect([refused.status, receiptInHeaders(refused.headers)]).to.deep.equal([400, null])
  })

  it('verify where the answer has more members, and cover them', async () => {
    gateway.answer({ texts: ['Paris it is'], usage })
    const chat = { model: MODELS.anthropic, messages: MESSAGES }
    for (const path of ['/v1/gateway/dispatch', '/v1/route/chat/completions']) {
      const answer = await ask(path, chat)
      const receipt = await receiptOf(answer)
      expect(receipt, path).to.include({ provider: 'anthropic', output_tokens: 7, isAtEnd: false })
      const changed = Buffer.from(answer.body.toString().replace(/"svc_rout(\w+)"/, '"svc_root$1"'))
      expect(changed.equals(answer.body), path).to.equal(false)
      await receiptOf({ ...answer, body: changed }).then(
        () => expect.fail(`${path}: a changed answer verifies`),
        (error: unknown) => expect(String(error)).to.contain('not the ones that were answered'),
      )
      const streamed = await receiptOf(await ask(path, { ...chat, stream: true }))
      expect(streamed, path).to.include({ provider: 'anthropic', isAtEnd: true })
    }
    const { svc_receipt: shown } = JSON.parse((await ask('/v1/gateway/dispatch', chat)).body.toString())
    const { signature, ...signed } = shown
    const jwks = await gateway.api.call('GET', '/.well-known/jwks.json')
    const key = trustKeys(jwks.body.keys).get(signed.signing_key_id)
    expect(key && verifyText(JSON.stringify(signed), signature, key)).to.equal(true)
  })

  it('name no capture where the namespace stores none', async () => {
    gateway.answer({ texts: ['Paris it is'], usage })
    const { key } = gateway.tenant()
    for (const [mode, isNamed] of [
      ['off', false],
      ['metadata_only', true],
    ] as const) {
      const path = '/v1/gateway/namespaces/unkept'
      const put = await gateway.api.call('PUT', path, { key, body: { capture_mode: mode } })
      expect(put.status, put.text).to.equal(200)
      for (const stream of [false, true]) {
        const body = { model: MODELS.openai, messages: MESSAGES, stream }
        const answer = await ask('/v1/chat/completions', body, { 'x-svc-namespace': 'unkept' })
        const receipt = await receiptOf(answer)
        expect([receipt.capture_eligible, receipt.capture_id !== null], mode).to.deep.equal([false, isNamed])
        expect(/^x-svc-capture-id: cap_/im.test(answer.headers), mode).to.equal(isNamed)
      }
    }
  })

  it('say of a stream that was cut off that it is interrupted', async () => {
    gateway.answer({ texts: ['one two three four five six'], stream: { cutAfter: 3 } })
    const chat = await ask('/v1/chat/completions', { model: MODELS.openai, messages: MESSAGES, stream: true })
    expect(chat.body.toString()).to.contain('provider_interrupted').and.not.contain('[DONE]')
    expect(await receiptOf(chat)).to.include({ outcome: 'interrupted', tokens_estimated: true, isAtEnd: true })
    const content = await ask(google(MODELS.google, 'streamGenerateContent?alt=sse'), { contents: CONTENTS })
    expect(await receiptOf(content)).to.include({ outcome: 'interrupted', isAtEnd: false })
  })

  it('name the model that answered instead, at its own cost, and what we estimated', async () => {
    gateway.answer((_call, provider) => (provider === 'openai' ? { status: 429 } : { texts: ['Paris it is'] }))
    for (const stream of [false, true]) {
      const body = { model: MODELS.openai, messages: MESSAGES, stream }
      const chain = { 'x-svc-route-chain': 'local-vllm:m, anthropic:claude-of-no-price' }
      const receipt = await receiptOf(await ask('/v1/chat/completions', body, chain))
      expect(receipt).to.deep.include({
        request_model: MODELS.openai,
        provider: 'anthropic',
        model: 'claude-of-no-price',
        fallback_reason: 'upstream_429',
        cost_usd: null,
        failed_attempts: [
          { provider: 'openai', model: MODELS.openai, reason: 'upstream_429', status: 429 },
          { provider: 'local-vllm', model: 'm', reason: 'upstream_429', status: 429 },
        ],
      })
    }
  })

  it('are no part of what the published SDKs read', async () => {
    gateway.answer({ texts: ['Paris it is'], usage })
    const apiKey = gateway.tenant().key
    const openai = new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey, maxRetries: 0 })
    const anthropic = new Anthropic({ baseURL: gateway.api.url, apiKey, maxRetries: 0 })
    const genai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.api.url } })
    for (const model of Object.values(MODELS)) {
      const chunks: string[] = []
      for await (const chunk of await openai.chat.completions.create({ model, messages: MESSAGES, stream: true }))
        chunks.push(JSON.stringify(chunk))
      const types: string[] = []
      for await (const event of await openai.responses.create({ model, input: 'x', stream: true }))
        types.push(event.type)
      expect(types.at(-1)).to.equal('response.completed')
      for await (const event of await anthropic.messages.create({ ...messagesBody(model), stream: true }))
        chunks.push(JSON.stringify(event))
      expect(chunks.at(-1)).to.contain('message_stop')
      for await (const piece of await genai.models.generateContentStream({ model, contents: 'x' })) {
        expect(piece.candidates).to.have.length(1)
        chunks.push(JSON.stringify(piece))
      }
      expect([...chunks, ...types].filter((text) => text.includes('svc_receipt'))).to.deep.equal([])
      const chat = openai.chat.completions.stream({ model, messages: MESSAGES })
      expect((await chat.finalChatCompletion()).choices[0]?.message.content).to.equal('Paris it is')
      const response = await openai.responses.stream({ model, input: 'x' }).finalResponse()
      expect(response.output_text).to.equal('Paris it is')
      expect(await anthropic.messages.stream(messagesBody(model)).finalText()).to.equal('Paris it is')
    }
  })

  describe('on the command line', () => {
    let folder: string
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'svc-receipts-'))
      const jwks = await gateway.api.call('GET', '/.well-known/jwks.json')
      await writeFile(join(folder, 'jwks.json'), jwks.text)
    })
    after(async () => {
      await rm(folder, { recursive: true })
    })
    const svc = async (...args: readonly string[]) =>
      await runCli(args, { folder, profileDir: join(folder, 'no-profile') })
    const curl = async (file: string, body: object, path = pathOf(body)) => {
      const json = ['-H', 'Content-Type: application/json', '-H', `X-API-Key: ${gateway.tenant().key}`]
      const files = ['-D', `${file}.headers`, '-o', file, '-d', JSON.stringify(body)]
      await promisify(execFile)('curl', ['-sN', ...json, ...files, `${gateway.api.url}${path}`], {
        cwd: folder,
      })
    }
    const pathOf = (body: object) =>
      'contents' in body ? google(MODELS.google, 'streamGenerateContent?alt=sse') : '/v1/chat/completions'

    it('svc verify-response says what holds: for a body with its headers, and for a saved stream', async () => {
      gateway.answer({ texts: ['Paris it is'], usage })
      const body = { model: MODELS.openai, messages: MESSAGES }
      await Promise.all([
        curl('whole', body),
        curl('stream', { ...body, stream: true }),
        curl('google', { contents: CONTENTS }),
        curl('dispatched', body, '/v1/gateway/dispatch'),
      ])
      await writeFile(
        join(folder, 'changed'),
        (await readFile(join(folder, 'whole'), 'utf8')).replace('Paris', 'Parts'),
      )
      const keys = ['--jwks', 'jwks.json']
      const [whole, stream, trailed, changed, bare, dispatched] = await Promise.all([
        svc('verify-response', 'whole', '--headers', 'whole.headers', ...keys),
        svc('--json', 'verify-response', 'stream'),
        svc('verify-response', 'google', '--headers', 'google.headers', ...keys),
        svc('verify-response', 'changed', '--headers', 'whole.headers', ...keys),
        svc('verify-response', 'whole', ...keys),
        svc('verify-response', 'dispatched', '--headers', 'dispatched.headers', ...keys),
      ])
      expect(dispatched.code, dispatched.stdout).to.equal(0)
      expect([whole.code, whole.stdout], whole.stderr).to.have.property('0', 0)
      expect(whole.stdout)
        .to.match(/asked for as gpt-4o-mini/)
        .and.match(/100 tokens in, 7 out \(counted/)
      expect(whole.stdout).to.contain('signed by a pinned key')
      // No key is pinned here.
      expect(stream.code, stream.stderr).to.equal(3)
      expect(JSON.parse(stream.stdout)).to.include({ ok: true, trusted: 'unknown_signer' })
      expect(JSON.parse(stream.stdout).receipt).to.include({ outcome: 'whole', provider: 'openai' })
      expect(trailed.code, trailed.stderr).to.equal(0)
      expect([changed.code, changed.stdout.includes('NOT verified')]).to.deep.equal([1, true])
      expect([bare.code, bare.stderr.includes('--headers')]).to.deep.equal([1, true])
    })

    itInPython('the Python of the guide verifies answers and refuses changed ones (SVC_CLIENT_PYTHON)', async () => {
      gateway.answer({ texts: ['Paris it is'], usage })
      const snippet = snippetsOf('docs/guides/gateway.md').find(({ text }) => text.includes('def verify('))
      const more = [
        'print(verify(*send("/v1/gateway/dispatch", question), jwks)["provider"])',
        'body, headers = send("/v1/chat/completions", question)',
        'for changed in (body.replace(b"Paris", b"Parts"), body + b" "):',
        '    try: print(verify(changed, headers, jwks))',
        '    except ValueError: print("refused")',
      ]
      await writeFile(join(folder, 'verify.py'), [snippet?.text, ...more, ''].join('\n'))
      const env = { ...process.env, SVC_URL: gateway.api.url, SVC_API_KEY: gateway.tenant().key }
      const { stdout } = await promisify(execFile)(PYTHON, ['verify.py'], { cwd: folder, env })
      const line = 'openai gpt-4o-mini whole\n'
      expect(stdout).to.equal(`${line}${line}openai\nrefused\nrefused\n`)
    })
  })
})
