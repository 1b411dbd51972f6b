import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { newId } from '../../../../core/kernel/ids.ts'
import { keepAnswer } from '../../../../db/gateway/cache/keep-answer.ts'
import { rememberReferences } from '../../../../db/gateway/cache/references/remember-references.ts'
import { trimReferences } from '../../../../db/gateway/cache/references/trim-references.ts'
import { tenantOf } from '../../../../db/kernel/operation.ts'
import { wavOf } from '../../../support/providers/audio.ts'
import { pngOf } from '../../../support/providers/images.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { eventually } from '../../../support/wire/eventually.ts'
import { givenCaller, type Caller, type Doors, type MovedServer } from './door.ts'

const MODEL = 'gpt-4o-mini'
const IN_CACHE = { 'x-svc-namespace': 'cached' }

const chat = async (caller: Caller, content: unknown, headers: Readonly<Record<string, string>> = {}) =>
  await caller.ask('POST', '/v1/chat/completions', { model: MODEL, messages: [{ role: 'user', content }] }, { headers })

/** A caller whose namespace repeats answers. */
async function givenCaching(on: MovedServer): Promise<Caller> {
  const caller = await givenCaller(on)
  const put = await caller.ask('PUT', '/v1/gateway/namespaces/cached', { cache_mode: 'exact' })
  expect(put.status, put.text).to.equal(200)
  return caller
}

const cacheOf = async (caller: Caller, content: string) =>
  (await chat(caller, content, IN_CACHE)).headers.get('x-svc-cache')

const silence = (seconds: number) =>
  wavOf(
    Array.from({ length: 8000 * seconds }, () => 0),
    8000,
  )

/** Doors of calls of models. */
export const GATEWAY_DOORS: Doors = {
  quota_units_per_gateway_call: {
    at: 7,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      on.answer(() => ({ texts: ['ok'] }))
      expect((await chat(caller, 'x')).status).to.equal(200)
      await on.api.server.services.meter.flush()
      expect((await caller.ask('GET', '/v1/account')).body.period.used).to.equal(at)
    },
  },
  gateway_calls_per_visitor: {
    at: 0,
    shows: async ({ api }) => {
      const answer = await api.call('POST', '/anthropic/v1/messages', {
        headers: { 'x-api-key': 'sk-ant-0123456789abcdef' },
        body: { model: 'claude-haiku-4-5', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] },
      })
      expect([answer.status, answer.body.error?.type], answer.text).to.deep.equal([429, 'rate_limit_error'])
    },
  },
  gateway_connections: {
    at: 1,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      let open = 0
      let most = 0
      on.answer(async () => {
        most = Math.max(most, ++open)
        await new Promise((resolve) => setTimeout(resolve, 20))
        open--
        return { texts: ['ok'] }
      })
      const answers = await Promise.all(Array.from({ length: 4 }, async () => await chat(caller, 'x')))
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
      expect(most).to.equal(at)
    },
  },
  gateway_timeout_s: {
    // Longer than a timer counts.
    at: 10_000_000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      on.answer(() => ({ texts: ['ok'] }))
      const within = async (ms: number) => await chat(caller, 'x', { 'x-svc-timeout-ms': String(ms) })
      const allowed = await within(at * 1000)
      expect(allowed.status, allowed.text).to.equal(200)
      const refused = await within(at * 1000 + 1)
      expect([refused.status, refused.text]).to.satisfy(
        ([status, text]: [number, string]) => status === 400 && text.includes(`from 1000 to ${at * 1000}`),
      )
    },
  },
  gateway_cache_s: {
    at: 77,
    shows: async (on, at) => {
      const caller = await givenCaching(on)
      on.answer(() => ({ texts: ['ok'] }))
      await eventually(async () => expect(await cacheOf(caller, 'how long')).to.equal('hit'))
      const [row] = await sendSql<{ seconds: number }>(
        caller.op.db,
        `select extract(epoch from expires_at - created_at)::int as seconds from cached_answers where tenant_id = $1`,
        [caller.id],
      )
      expect(row?.seconds).to.equal(at)
    },
  },
  gateway_cached_bytes: {
    at: 10_000,
    shows: async (on, at) => {
      const caller = await givenCaching(on)
      on.answer(({ messages }) => ({ texts: [messages.at(-1)?.text === 'long' ? 'x'.repeat(at) : 'ok'] }))
      expect(await cacheOf(caller, 'long')).to.equal('miss')
      await eventually(async () => expect(await cacheOf(caller, 'short')).to.equal('hit'))
      expect(await cacheOf(caller, 'long')).to.equal('miss')
    },
  },
  gateway_cached_answers: {
    at: 3,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const { db, limits } = on.api.server.services
      for (let i = 0; i < at + 3; i++) {
        await keepAnswer(tenantOf(db, caller.id, null), {
          // Keys that begin so are those after which the stored answers are counted.
          key: Buffer.from([0, i]),
          namespace: 'default',
          provider: 'openai',
          model: MODEL,
          captureId: newId('cap'),
          answer: {},
          begunAt: new Date(),
          now: new Date(Date.now() + i),
          limits,
        })
      }
      const rows = await sendSql(db, 'select 1 from cached_answers where tenant_id = $1', [caller.id])
      expect(rows).to.have.length(at)
    },
  },
  gateway_reference_days: {
    at: 3,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      await caller.ask('POST', '/v1/responses', { model: MODEL, input: 'x' })
      const [row] = await sendSql<{ days: number }>(
        caller.op.db,
        `select extract(epoch from expires_at - created_at)::int / 86400 as days from response_references where tenant_id = $1`,
        [caller.id],
      )
      expect(row?.days).to.equal(at)
    },
  },
  gateway_kept_response_bytes: {
    at: 5000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      on.answer(() => ({ texts: ['ok'] }))
      const keeps = async (input: string) => {
        const { body } = await caller.ask('POST', '/v1/responses', { model: `openrouter:${MODEL}`, input })
        return (await caller.ask('GET', `/v1/responses/${body.id}`)).status
      }
      expect(await keeps('x')).to.equal(200)
      expect(await keeps('x'.repeat(at))).to.equal(404)
    },
  },
  gateway_references_bytes_per_tenant: {
    at: 2000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const { db, limits } = on.api.server.services
      const tenant = tenantOf(db, caller.id, null)
      for (let i = 0; i < at / 500; i++) {
        const { isTrimDue } = await rememberReferences(tenant, {
          namespace: 'default',
          captureId: newId('cap'),
          begunAt: new Date(),
          isByIds: false,
          references: [
            { key: randomBytes(32), responseKey: null, parentKey: null, provider: null, content: Buffer.alloc(600) },
          ],
          now: new Date(Date.now() + i),
          limits,
        })
        // One of them takes far more than a part of this room.
        expect(isTrimDue).to.equal(true)
      }
      await trimReferences(tenant, limits.gateway_references_bytes_per_tenant)
      // Each counts 400 bytes and what is sealed.
      const rows = await sendSql(db, 'select 1 from response_references where tenant_id = $1', [caller.id])
      expect(rows).to.have.length(at / 1000)
    },
  },
  gateway_body_parts: {
    at: 400,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const answer = await chat(
        caller,
        Array.from({ length: at }, () => 1),
      )
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.text).to.contain(`more than ${at} members and entries`)
    },
  },
  gateway_image_pixels: {
    at: 100,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const show = async (height: number) => {
        const url = `data:image/png;base64,${pngOf(10, height).toString('base64')}`
        return await chat(caller, [{ type: 'image_url', image_url: { url } }])
      }
      const large = await show(at / 10 + 1)
      expect(large.status, large.text).to.equal(400)
      expect(large.text).to.contain(`at most ${at} pixels`)
      expect((await show(at / 10)).status).to.equal(200)
    },
  },
  capture_inline_bytes: {
    at: 2000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const isInline = async (prompt: string) => {
        const items = [{ input: prompt, output: 'Here.' }]
        const stored = await caller.ask('POST', '/v1/capture/log', { namespace: 'support', items })
        expect(stored.status, stored.text).to.equal(201)
        const [row] = await sendSql<{ inline: boolean }>(
          caller.op.db,
          'select blob_sha256 is null as inline from capture_contents where id = $1',
          [stored.body.ids[0]],
        )
        return row?.inline
      }
      expect(await isInline('x'.repeat(0.3 * at))).to.equal(true)
      expect(await isInline('x'.repeat(at))).to.equal(false)
      // Each of these characters has two bytes.
      expect(await isInline('é'.repeat(0.3 * at))).to.equal(false)
    },
  },
  capture_named_export_bytes: {
    at: 3000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const items = Array.from({ length: 4 }, () => ({ input: 'x'.repeat(0.3 * at), output: 'Here.' }))
      const { ids } = (await caller.ask('POST', '/v1/capture/log', { namespace: 'support', items })).body
      const named = async (some: readonly string[]) =>
        await caller.ask('POST', '/v1/capture/export', { capture_ids: some, format: 'pairs' })
      expect((await named(ids.slice(0, 3))).body.count).to.equal(3)
      const large = await named(ids)
      expect([large.status, large.body.details]).to.deep.equal([413, { max: at }])
      expect(large.body.error).to.contain('GET /v1/capture/export')
    },
  },
  audio_body_bytes: {
    at: 20_000,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const send = async (seconds: number) =>
        await caller.send('/v1/audio/transcriptions', { model: 'whisper-1' }, [
          new File([new Uint8Array(silence(seconds))], 'a.wav', { type: 'audio/wav' }),
        ])
      const large = await send(2)
      expect([large.status, large.text]).to.satisfy(
        ([status, text]: [number, string]) => status === 413 && text.includes(String(at)),
      )
      expect((await send(1)).status).to.equal(200)
    },
  },
  audio_tokenize_s: {
    at: 1,
    shows: async (on, at) => {
      const caller = await givenCaller(on)
      const tokenize = async (seconds: number) =>
        await caller.ask('POST', '/v1/audio/tokenize', { audio_base64: silence(seconds).toString('base64') })
      expect((await tokenize(at)).status).to.equal(200)
      const long = await tokenize(at + 1)
      expect([long.status, long.text]).to.satisfy(
        ([status, text]: [number, string]) => status === 415 && text.includes(`is longer than ${at} s`),
      )
    },
  },
}

/** Those that refuse every call of their kind. */
export const CLOSED_GATEWAY_DOORS: Doors = {
  audio_uploads_per_tenant: {
    at: 0,
    shows: async (on) => {
      const caller = await givenCaller(on)
      const answer = await caller.send('/v1/audio/transcriptions', { model: 'whisper-1' }, [
        new File([new Uint8Array(silence(1))], 'a.wav', { type: 'audio/wav' }),
      ])
      expect(answer.status, answer.text).to.equal(429)
    },
  },
}
