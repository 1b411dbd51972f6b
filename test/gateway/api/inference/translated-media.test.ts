import { expect } from 'chai'
import { wavOf } from '../../../support/providers/audio.ts'
import { MODELS, useGateway, type TestProvider } from './given-gateway.ts'

const PDF = Buffer.from('%PDF-1.4\n%%EOF').toString('base64')
const URI = `data:application/pdf;base64,${PDF}`
const WAV = Buffer.from(wavOf([0, 1, 2, 3], 8000)).toString('base64')
const TEXT = { type: 'text', text: 'What is it?' }

/** A question about a document or a sound in the protocol of each kind of caller. */
const CALLERS = {
  chat: (model: string, part: object) => ['/v1/chat/completions', { model, messages: said([part, TEXT]) }],
  responses: (model: string, part: object) => [
    '/v1/responses',
    { model, input: said([part, { type: 'input_text', text: TEXT.text }]) },
  ],
  messages: (model: string, part: object) => ['/v1/messages', { model, max_tokens: 64, messages: said([part, TEXT]) }],
  content: (model: string, part: object) => [
    `/v1beta/models/${model}:generateContent`,
    { contents: [{ role: 'user', parts: [part, { text: TEXT.text }] }] },
  ],
} as const satisfies Record<string, (model: string, part: object) => readonly [string, object]>

function said(content: readonly object[]): readonly object[] {
  return [{ role: 'user', content }]
}

const FILES = {
  chat: { type: 'file', file: { filename: 'a.pdf', file_data: URI } },
  responses: { type: 'input_file', filename: 'a.pdf', file_data: URI },
  messages: { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
  content: { inlineData: { mimeType: 'application/pdf', data: PDF } },
}
const SOUNDS = {
  chat: { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
  responses: { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
  content: { inlineData: { mimeType: 'audio/wav', data: WAV } },
}

describe('documents and sounds of a translated call', () => {
  const gateway = useGateway()
  beforeEach(() => gateway.answer({ texts: ['ok'] }))
  const ask = async (caller: keyof typeof CALLERS, provider: TestProvider, part: object) => {
    const [path, body] = CALLERS[caller](MODELS[provider], part)
    return await gateway.api.call('POST', path, { key: gateway.tenant().key, body })
  }
  const sent = (provider: TestProvider) => JSON.parse(gateway.lastCall(provider).raw)
  const partSent = {
    openai: () => sent('openai').messages[0].content[0],
    anthropic: () => sent('anthropic').messages[0].content[0],
    google: () => sent('google').contents[0].parts[0],
  }

  it('reach each provider in its own words', async () => {
    for (const caller of ['chat', 'responses', 'messages', 'content'] as const) {
      for (const provider of ['openai', 'anthropic', 'google'] as const) {
        // These get the body as it is.
        if (caller === 'responses' && provider === 'openai') continue
        if (caller === 'chat' && provider === 'google') continue
        const name = `${caller} to ${provider}`
        const file = await ask(caller, provider, FILES[caller])
        expect(file.status, `${name}: ${file.text}`).to.equal(200)
        const { title: _title, ...document } = FILES.messages
        const wanted = {
          openai:
            caller === 'content' ? { ...FILES.chat, file: { filename: 'document.pdf', file_data: URI } } : FILES.chat,
          anthropic: caller === 'content' ? document : FILES.messages,
          google: FILES.content,
        }
        expect(partSent[provider](), name).to.deep.equal(wanted[provider])
        if (caller === 'messages' || provider === 'anthropic') continue
        expect((await ask(caller, provider, SOUNDS[caller])).status, name).to.equal(200)
        expect(partSent[provider](), name).to.deep.equal(provider === 'google' ? SOUNDS.content : SOUNDS.chat)
      }
    }
    const text = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Of 1999.' } }
    expect((await ask('messages', 'google', text)).status).to.equal(200)
    expect(partSent.google()).to.deep.equal({ text: 'Of 1999.' })
  })

  it('without a counterpart are refused by their path before the call', async () => {
    const ogg = { inlineData: { mimeType: 'audio/ogg', data: WAV } }
    const docx = { ...FILES.responses, file_data: `data:application/msword;base64,${PDF}` }
    const cited = { ...FILES.messages, citations: { enabled: true } }
    const url = { type: 'document', source: { type: 'url', url: 'https://example.org/a.pdf' } }
    const content = { type: 'file', file: { file_id: 'file-1' } }
    for (const [caller, provider, part, field] of [
      ['chat', 'anthropic', SOUNDS.chat, 'messages[0].content[0].input_audio.data'],
      ['content', 'openai', ogg, 'contents[0].parts[0].inlineData.data'],
      ['responses', 'google', docx, 'input[0].content[0].file_data'],
      ['messages', 'openai', cited, 'messages[0].content[0].citations'],
      ['messages', 'google', url, 'messages[0].content[0].source.type'],
      ['chat', 'anthropic', content, 'messages[0].content[0].file.file_id'],
    ] as const) {
      const before = gateway.server(provider).bodies.length
      const refused = await ask(caller, provider, part)
      expect([refused.status, refused.body.code], field).to.deep.equal([400, 'not_translatable'])
      expect(refused.body.details.fields[0].field).to.equal(field)
      expect(gateway.server(provider).bodies.length).to.equal(before)
    }
    const none = { type: 'file', file: { file_data: 'data:application/pdf;base64,%%%' } }
    const broken = await ask('chat', 'anthropic', none)
    expect([broken.status, broken.body.code]).to.deep.equal([400, 'validation_failed'])
  })
})
