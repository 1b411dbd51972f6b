import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import OpenAI, { toFile } from 'openai'
import { spokenWav, wavOf } from '../../../support/providers/audio.ts'
import { givenProgramVersion } from '../../../support/archives/signed-artifacts.ts'
import { givenApiTenant } from '../../../support/api.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { thrownBy, useGateway } from './given-gateway.ts'

const SECOND = wavOf(
  Array.from({ length: 16_000 }, (_, i) => 8000 * Math.sin((2 * Math.PI * 440 * i) / 16_000)),
  16_000,
)
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describe('sound, by the published SDK of OpenAI', () => {
  const gateway = useGateway()
  const key = () => gateway.tenant().key
  const client = (apiKey = key()) => new OpenAI({ baseURL: `${gateway.api.url}/v1`, apiKey, maxRetries: 0 })
  const bodies = () => gateway.server('openai').bodies
  const audio = async (apiKey = key()) =>
    (await gateway.api.call('GET', '/v1/audio/captures', { key: apiKey })).body.captures as Record<string, unknown>[]
  /** The newest capture with sound, once it is stored. */
  const newest = async (id: string | null, apiKey = key()) => {
    let found: Record<string, unknown> | undefined
    await eventually(async () => {
      found = (await audio(apiKey)).find((each) => each['event_id'] === id)
      expect(found, `no capture ${id}`).to.not.equal(undefined)
    })
    return found ?? {}
  }

  it('speaks: bytes and media type of the provider, a receipt behind them, and a capture without the sound', async () => {
    const asked = { model: 'tts-1', input: 'Write to ada@example.org', voice: 'alloy' }
    const answer = await client().audio.speech.create(asked)
    expect(Buffer.from(await answer.arrayBuffer()).equals(spokenWav())).to.equal(true)
    expect(answer.headers.get('content-type')).to.equal('audio/wav')
    expect(answer.headers.get('openai-processing-ms')).to.equal('7')
    expect(bodies().at(-1)).to.contain('VAR_EMAIL_1').and.not.contain('ada@example.org')
    const capture = await newest(answer.headers.get('x-svc-capture-id'))
    expect(capture).to.deep.include({
      media_kind: 'speech',
      media_mime: 'audio/wav',
      media_hash: sha256(spokenWav()),
      media_bytes: spokenWav().length,
      duration_ms: 1000,
      duration_source: 'header',
      transcript_head: 'Write to VAR_EMAIL_1',
    })
    const detail = await gateway.api.call('GET', `/v1/captures/${String(capture['event_id'])}/inspect`, { key: key() })
    expect(detail.body.capture).to.deep.include({ kind: 'speech', model: 'tts-1', cost_usd: null })
    expect(detail.body.capture.receipt.output_hash).to.equal(`sha256:${sha256(spokenWav())}`)
  })

  it('writes down: the file arrives whole, whatever the order of fields, and the transcript is stored', async () => {
    const file = await toFile(SECOND, 'Ada Lovelace.wav')
    const { data, response } = await client()
      .audio.transcriptions.create({ file, model: 'whisper-1', prompt: 'Call ada@example.org', temperature: 0.2 })
      .withResponse()
    const heard = `heard ${SECOND.length} bytes ${sha256(SECOND).slice(0, 8)} as audio.wav after Call`
    expect(data.text).to.equal(`${heard} ada@example.org`)
    expect(response.headers.get('x-inference-signature')).to.be.a('string')
    expect(bodies().at(-1)).to.contain('name="temperature"').and.not.contain('Lovelace')
    const capture = await newest(response.headers.get('x-svc-capture-id'))
    expect(capture).to.deep.include({
      media_kind: 'transcriptions',
      media_hash: sha256(SECOND),
      duration_ms: 1000,
      duration_source: 'header',
      transcript_head: `${heard} VAR_EMAIL_1`,
    })
    const detail = await gateway.api.call('GET', `/v1/captures/${String(capture['event_id'])}/inspect`, { key: key() })
    expect(detail.body.capture.body.file).to.deep.equal({
      sha256: `sha256:${sha256(SECOND)}`,
      mime: 'audio/wav',
      bytes: SECOND.length,
      duration_ms: 1000,
      duration_source: 'header',
    })
    const text = await client().audio.transcriptions.create({ file, model: 'whisper-1', response_format: 'text' })
    expect(text).to.equal(`heard ${SECOND.length} bytes ${sha256(SECOND).slice(0, 8)} as audio.wav after nothing\n`)
    const translated = await client().audio.translations.create({ file, model: 'whisper-1', response_format: 'json' })
    expect(translated.text).to.contain('audio.wav')
  })

  it('streams a transcript, with the values of the caller put back across its parts', async () => {
    const file = await toFile(SECOND, 'a.wav')
    const asked = { file, model: 'gpt-4o-transcribe', prompt: 'ada@example.org', stream: true as const }
    const { data, response } = await client().audio.transcriptions.create(asked).withResponse()
    let deltas = ''
    let done = ''
    for await (const event of data) {
      if (event.type === 'transcript.text.delta') deltas += event.delta
      if (event.type === 'transcript.text.done') done = event.text
    }
    expect(done)
      .to.equal(deltas)
      .and.match(/after ada@example\.org$/)
    const capture = await newest(response.headers.get('x-svc-capture-id'))
    expect(capture['transcript_head']).to.match(/after VAR_EMAIL_1$/)
  })

  it('passes 12 MB on as they are, and leaves nothing on the disk', async () => {
    const large = Buffer.concat([SECOND, randomBytes(12_000_000)])
    const { text } = await client().audio.transcriptions.create({
      file: await toFile(large, 'a.mp3'),
      model: 'whisper-1',
    })
    expect(text).to.contain(`heard ${large.length} bytes ${sha256(large).slice(0, 8)}`)
    expect(gateway.api.server.services.spool.heldBytes()).to.equal(0)
  })

  it('fails as it should: faults of the provider, wrong fields, and a provider without a key', async () => {
    const speak = async (voice: string) =>
      await thrownBy(
        client()
          .audio.speech.create({ model: 'tts-1', input: 'x', voice })
          .then(async (a) => await a.arrayBuffer()),
      )
    expect(await speak('cut')).to.be.instanceOf(Error)
    expect(await speak('page')).to.have.property('status', 502)
    expect(await speak('down')).to.have.property('status', 503)
    const file = await toFile(SECOND, 'a.wav')
    expect(await thrownBy(client().audio.transcriptions.create({ file, model: 'no-such-model' }))).to.be.instanceOf(
      OpenAI.BadRequestError,
    )
    const none = await thrownBy(client().audio.speech.create({ model: 'groq:playai-tts', input: 'x', voice: 'a' }))
    expect(none).to.have.property('status', 501)
    const empty = await toFile(Buffer.alloc(0), 'a.wav')
    expect(await thrownBy(client().audio.transcriptions.create({ file: empty, model: 'whisper-1' }))).to.have.property(
      'status',
      400,
    )
    const own = { model: 'tts-1', input: 'x', voice: { id: 'voice_1' } }
    const voice = await gateway.api.call('POST', '/v1/audio/speech', { key: key(), body: own })
    expect([voice.status, voice.body.code]).to.deep.equal([400, 'not_translatable'])
    const failed = await gateway.api.call('GET', '/v1/captures/list?limit=50', { key: key() })
    const outcomes = failed.body.captures.filter(({ kind }: { kind: string }) => kind === 'speech')
    expect(outcomes.map(({ outcome }: { outcome: string }) => outcome)).to.include.members([
      'interrupted',
      'failed',
      'whole',
    ])
  })

  it('keeps nothing of the content of a call that asks for it', async () => {
    const { key: quiet } = await givenApiTenant(gateway.api)
    const options = { headers: { 'x-svc-retention': 'none' } }
    const answer = await client(quiet).audio.speech.create({ model: 'tts-1', input: 'hush', voice: 'alloy' }, options)
    await answer.arrayBuffer()
    expect(await audio(quiet)).to.deep.equal([])
  })

  it('lists sound in messages, computes features of stored files, and forgets both', async () => {
    const { key: other } = await givenApiTenant(gateway.api)
    const data = SECOND.toString('base64')
    const content = [
      { type: 'input_audio', input_audio: { data, format: 'wav' } },
      { type: 'transcript', text: 'Where is my parcel?' },
    ]
    const message = { role: 'user', content }
    const detected = await gateway.api.call('POST', '/v1/audio/capture-detect', { key: other, body: { message } })
    expect(detected.body).to.deep.include({ is_audio: true, total_audio: 1, transcript_present: true })
    expect(detected.body.audio_blocks[0]).to.deep.include({ audio_sha256: sha256(SECOND), mime: 'audio/wav' })
    gateway.answer({ texts: ['On its way'] })
    const asked = { model: 'gpt-4o-audio-preview', messages: [message] }
    const chat = await gateway.api.call('POST', '/v1/chat/completions', { key: other, body: asked })
    expect(chat.status, chat.text).to.equal(200)
    const capture = await newest(chat.headers.get('x-svc-capture-id'), other)
    expect(capture).to.deep.include({ media_kind: 'message', media_hash: sha256(SECOND), transcript_present: true })

    const form = new FormData()
    form.append('file', new File([new Uint8Array(SECOND)], 'a.wav', { type: 'audio/wav' }))
    const stored = await fetch(`${gateway.api.url}/v1/capture/media`, {
      method: 'POST',
      headers: { 'x-api-key': other },
      body: form,
    })
    const { blobs } = (await stored.json()) as { blobs: { uri: string }[] }
    const media = blobs[0]?.uri
    const tokenize = async (body: object, caller = other) =>
      await gateway.api.call('POST', '/v1/audio/tokenize', { key: caller, body })
    const features = await tokenize({ media, model: 'whisper-small', text: 'Where is my parcel?' })
    expect(features.body).to.deep.include({
      mel_frame_count: 100,
      mel_feature_dim: 80,
      duration_ms: 1000,
      media_uri: media,
      text_token_count: null,
      audio_sha256: sha256(SECOND),
    })
    const same = await tokenize({ audio_base64: data, model: 'whisper-small' })
    expect(same.body.mel_sha256).to.equal(features.body.mel_sha256)
    const large = await tokenize({ audio_base64: data })
    expect(large.body.mel_feature_dim).to.equal(128)
    const counted = await tokenize({ audio_base64: data, model: 'nano', text: 'Where is my parcel?' })
    expect(counted.body.text_token_count).to.be.greaterThan(3)
    expect((await tokenize({ media }, key())).status).to.equal(404)
    for (const bad of [{}, { path: '/etc/passwd' }, { uri: 'file:///etc/passwd' }, { audio_base64: '***' }]) {
      expect((await tokenize(bad)).status, JSON.stringify(bad)).to.equal(400)
    }
    expect((await tokenize({ audio_base64: Buffer.from('fLaC').toString('base64') })).status).to.equal(415)
    const doctor = await gateway.api.call('GET', '/v1/audio/tokenize/doctor')
    expect(doctor.body).to.deep.include({ ready: true, error: null })

    const forgotten = await gateway.api.call('POST', '/v1/captures/forget', {
      key: other,
      body: { confirm: true, capture_id: String(capture['event_id']), reason: 'test' },
    })
    expect(forgotten.status, forgotten.text).to.equal(200)
    expect((await audio(other)).map((each) => each['media_kind'])).to.deep.equal(['file'])

    const off = async (body: object) => await gateway.api.call('POST', '/v1/audio/bakeoff', { key: other, body })
    expect((await off({ namespace: 'media' })).status).to.equal(400)
    expect((await off({ namespace: 'media', confirm: true })).body).to.deep.include({
      count_total: 1,
      count_audio_pairs_evaluated: 0,
      avg_score: null,
      message: 'no_artifact',
    })
    expect((await off({ namespace: 'nothing-here', confirm: true })).body.message).to.equal('no_audio_captures')
  })

  it('compares an artifact with what was answered to what was said; a row that lacks a side has no score', async () => {
    const owner = await givenApiTenant(gateway.api)
    const { db, signingKeys } = gateway.api.server.services
    const { jobId } = await givenProgramVersion(setUpOperation(db, owner.id), signingKeys.current)
    const said = async (transcript: string, answer: string) => {
      const data = SECOND.toString('base64')
      const content = [
        { type: 'input_audio', input_audio: { data, format: 'wav' } },
        ...(transcript === '' ? [] : [{ type: 'transcript', text: transcript }]),
      ]
      gateway.answer({ texts: [answer] })
      const body = { model: 'gpt-4o-audio-preview', messages: [{ role: 'user', content }] }
      const { status, headers } = await gateway.api.call('POST', '/v1/chat/completions', { key: owner.key, body })
      expect(status).to.equal(200)
      await newest(headers.get('x-svc-capture-id'), owner.key)
    }
    await said('where is my parcel', 'WHERE IS my parcel')
    await said('where is it', 'something else')
    await said('', 'an answer to nothing')
    const off = async (body: object) =>
      await gateway.api.call('POST', '/v1/audio/bakeoff', { key: owner.key, body: { confirm: true, ...body } })
    const { body, status, text } = await off({ artifact_id: jobId })
    expect(status, text).to.equal(200)
    expect(body).to.deep.include({
      count_total: 3,
      count_audio_pairs_evaluated: 2,
      avg_score: 0.5,
      row_failures: 1,
      transcript_coverage_pct: 66.6667,
    })
    expect(body.by_intent_kind).to.deep.include({ question: 2 })
    expect(body.failures).to.deep.include({ no_transcript: 1 })
    expect((await off({ artifact_id: `cmp_${'0'.repeat(26)}` })).status).to.equal(404)
  })
})
