import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { expectAudited } from '../../../support/db/audit.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { givenScopedKey } from '../../../support/people/given-keys.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'
import { scanNewCaptures } from '../../../../db/gateway/across/scan-copyright.ts'

describe('catalogs of the gateway', () => {
  const database = useDatabase()
  const api = useApi({
    stores: () => ({ database, temporal: NO_TEMPORAL }),
    limits: {
      connector_interests_per_tenant: 3,
      connector_interests_per_ip_day: 1000,
      copyright_allowances_per_tenant: 2,
    },
  })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
  })
  const get = async (path: string, key = tenant.key) => await api.call('GET', path, { key })
  const post = async (path: string, body: object, key = tenant.key) => await api.call('POST', path, { key, body })

  describe('connectors', () => {
    it('are listed with whether a key is there, without keys and own addresses', async () => {
      const { status, body, text } = await get('/v1/connectors')
      expect(status, text).to.equal(200)
      expect(body.providers).to.have.length(11)
      const anthropic = () =>
        body.providers.find(({ provider }: { provider: string }) => provider === 'anthropic') as object
      expect(anthropic()).to.include({ configured: false, enabled: true, key_variable: 'ANTHROPIC_API_KEY' })
      expect(body.connectors.map(({ id }: { id: string }) => id)).to.include.members(['openai-sdk', 'openapi'])
      for (const { docs } of body.connectors) expect(docs).to.match(/^https?:\/\//)
      await post('/v1/account/provider-keys', { provider: 'anthropic', value: 'sk-ant-0123456789abcdef' })
      const again = await get('/v1/connectors')
      const configured = again.body.providers.filter((one: { configured: boolean }) => one.configured)
      expect(configured.map(({ provider }: { provider: string }) => provider)).to.deep.equal(['anthropic'])
      expect(again.text).not.to.contain('0123456789abcdef').and.not.to.contain('127.0.0.1:11434')
    })

    it('that are awaited take a wish of an address or of the tenant, once', async () => {
      const ask = async (body: object) => await post('/v1/connectors/notify', body)
      const first = await ask({ connector: 'slack', email: 'Ada@example.com' })
      expect(first.status, first.text).to.equal(200)
      expect(first.body).to.include({ connector: 'slack', email_accepted: true, is_new: true })
      expect((await ask({ connector: 'slack', email: 'ada@EXAMPLE.com' })).body.is_new).to.equal(false)
      expect((await ask({ connector: 'slack' })).body).to.include({ email_accepted: false, is_new: true })
      const { waitlist } = (await get('/v1/connectors')).body
      expect(waitlist.filter(({ asked }: { asked: boolean }) => asked)).to.deep.equal([{ id: 'slack', asked: true }])
      await expectAudited(setUpOperation(database.db, tenant.id), 'connector.requested', 'slack')
      expect((await ask({ connector: 'github' })).status).to.equal(200)
      expect((await ask({ connector: 'notion' })).body.code).to.equal('limit_reached')
      expect((await ask({ connector: 'github' })).body.is_new).to.equal(false)
      for (const [bad, field] of [
        [{ connector: 'teapot' }, 'connector'],
        [{ connector: 'slack', email: 'not-an-address' }, 'email'],
      ] as const) {
        const refused = await ask(bad)
        expect(refused.status).to.equal(400)
        expect(JSON.stringify(refused.body.details)).to.contain(field)
      }
    })
  })

  describe('copyright', () => {
    const scan = async (text: string) => (await post('/v1/copyright/scan', { text })).body
    const log = async (items: readonly object[]): Promise<string[]> =>
      (await post('/v1/capture/log', { namespace: 'stories', items })).body.ids

    it('finds names, titles, notices and marks by whole words, and calls itself a heuristic', async () => {
      expect(await scan('The annals of Pluto, my heart')).to.deep.include({ risk: 0, hits: [], label: 'heuristic' })
      expect(await scan('unmickey mousetrap')).to.deep.include({ risk: 0 })
      const story = await scan('Mickey  Mouse sang “Bohemian Rhapsody”. MICKEY MOUSE again.')
      expect(story).to.deep.include({ risk: 0.5, suggestion: 'quarantine', hit_count: 2 })
      expect(story.reason).to.equal('copyright_heuristic:character,song_title')
      expect(story.hits[0]).to.deep.include({ match: 'Mickey  Mouse', at: 0, side: 'text' })
      const code = await scan('// SPDX-License-Identifier: GPL-3.0-only\n// Copyright (c) 2019-2024 Example Corp.')
      expect(code.hits.map(({ kind }: { kind: string }) => kind)).to.deep.equal(['spdx', 'code_copyright'])
      const free = await scan('SPDX-License-Identifier: MIT. Copyright 2026 Example Corp.')
      expect(free).to.deep.include({ risk: 0.25, suggestion: 'none' })
      expect(free.allowed_hits[0]).to.deep.include({ kind: 'spdx', match: 'MIT' })
    })

    it('passes over what the tenant may use: a name, and what stands in a licensed text', async () => {
      const put = async (entries: readonly object[]) =>
        await api.call('PUT', '/v1/copyright/allowlist', { key: tenant.key, body: { entries } })
      const licensed = 'Our park shows Donald Duck and Hello Kitty every day from nine to five.'
      const saved = await put([{ text: 'Peppa Pig', note: 'licence 17' }, { text: licensed }])
      expect(saved.status, saved.text).to.equal(200)
      const { body } = await get('/v1/copyright/allowlist')
      expect(body.entries[0]).to.deep.equal({ text: 'Peppa Pig', note: 'licence 17' })
      const found = await scan(`PEPPA PIG came. ${licensed} Then Donald Duck left the town.`)
      expect(found.hits.map(({ match }: { match: string }) => match)).to.deep.equal(['Donald Duck'])
      expect(found.allowed_hits).to.have.length(3)
      expect(found.licensed_overlap).to.be.greaterThan(0.3)
      const stranger = await givenApiTenant(api)
      expect((await post('/v1/copyright/scan', { text: 'Peppa Pig' }, stranger.key)).body.hit_count).to.equal(1)
      const reader = await givenScopedKey(api, tenant.key, { name: 'reader', scopes: ['capture:read'] })
      const refused = await api.call('PUT', '/v1/copyright/allowlist', { key: reader.key, body: { entries: [] } })
      expect(refused.status).to.equal(403)
      await expectAudited(setUpOperation(database.db, tenant.id), 'copyright.allowlist_changed')
      expect((await put([{ text: 'a' }, { text: 'b' }, { text: 'c' }])).status).to.equal(400)
    })

    it('queues the captures that it suggests to quarantine, until they are reviewed or forgotten', async () => {
      const [one = '', two = '', three = ''] = await log([
        { input: 'A tale, please', output: 'SpongeBob SquarePants sang Bad Romance.' },
        { input: 'And another', output: 'Purple rain fell on the hotel California, and space oddity followed.' },
        { input: 'A joke', output: 'A duck walks into a bar.' },
      ])
      const queue = async (key = tenant.key) => (await get('/v1/copyright/queue/stories', key)).body
      expect(await queue()).to.deep.include({ total: 0, unscanned: 3 })
      await scanNewCaptures(database.db, new Date(), new AbortController().signal)
      const queued = await queue()
      expect(queued).to.deep.include({ total: 2, unscanned: 0 })
      expect(queued.captures.map(({ capture_id: id }: { capture_id: string }) => id)).to.deep.equal([two, one])
      expect(queued.captures[1]).to.deep.include({
        quarantine_state: 'pending',
        copyright_heuristic_risk: 0.5,
        flag_reason: 'copyright_heuristic:character,song_title',
      })
      // The scan of a capture says the same, and of both sides.
      const { body } = await post('/v1/copyright/scan', { capture_id: one })
      expect(body).to.deep.include({ capture_id: one, risk: 0.5, input_risk: 0, output_risk: 0.5 })
      expect((await post('/v1/copyright/scan', { capture_id: three })).body.suggestion).to.equal('none')
      await post(`/v1/captures/${one}/review`, { action: 'approve' })
      expect((await queue()).total).to.equal(1)
      await post('/v1/captures/forget', { confirm: true, capture_id: two })
      expect((await queue()).total).to.equal(0)
      const left = await sendSql(database.db, 'select 1 from copyright_flags where capture_id = $1', [two])
      expect(left).to.have.length(0)
      expect((await post('/v1/copyright/scan', { capture_id: two })).status).to.equal(404)
      const elsewhere = await givenScopedKey(api, tenant.key, {
        name: 'elsewhere',
        scopes: ['capture:read', 'namespace:other'],
      })
      expect((await get('/v1/copyright/queue/stories', elsewhere.key)).status).to.equal(403)
      expect((await post('/v1/copyright/scan', { capture_id: one }, elsewhere.key)).status).to.equal(404)
      const stranger = await givenApiTenant(api)
      expect((await post('/v1/copyright/scan', { capture_id: one }, stranger.key)).status).to.equal(404)
      expect((await post('/v1/copyright/scan', {})).status).to.equal(400)
      expect((await post('/v1/copyright/scan', { text: 'a', capture_id: one })).status).to.equal(400)
    })
  })

  describe('carbon', () => {
    const estimate = async (query: string) => await get(`/v1/carbon/estimate?${query}`)

    it('is estimated from figures with their sources, and compared', async () => {
      const { status, body, text } = await estimate('gpu=H100-SXM5&hours=10&region=us-east-1')
      expect(status, text).to.equal(200)
      expect(body).to.include({ methodology: 'public-research-estimate', honest_caveat: 'estimate_not_measured' })
      expect(body.local).to.deep.include({ kwh: 5.25, kg_co2e: 2.1, gpu_known: true, region_known: true })
      expect(body.local.watts.source).to.contain('nvidia.com')
      expect([body.frontier, body.comparison]).to.deep.equal([null, null])
      const both = (
        await estimate('gpu=RTX-4090&hours=1&provider=openai&tokens=1000000&model_size_class=large&compare=1')
      ).body
      expect(both.frontier.kg_co2e).to.be.closeTo(2.94, 1e-9)
      expect(both.comparison.local_is_greener).to.equal(true)
      expect(both.comparison.saved_kg_co2e).to.be.closeTo(2.94 - 0.3375 * 0.475, 1e-9)
      const unknown = (await estimate('gpu=abacus&hours=1&region=moon')).body.local
      expect(unknown).to.include({ gpu: 'CPU-default', gpu_known: false, region: 'global-avg', region_known: false })
    })

    it('refuses bad numbers and names the field', async () => {
      for (const [query, field] of [
        ['', 'gpu'],
        ['gpu=H200', 'hours'],
        ['hours=2', 'gpu'],
        ['gpu=H200&hours=-1', 'hours'],
        ['gpu=H200&hours=x', 'hours'],
        ['gpu=H200&hours=1000001', 'hours'],
        ['gpu=H200&hours=1&utilization=1.5', 'utilization'],
        ['provider=acme&tokens=1', 'provider'],
        ['provider=openai&tokens=1.5', 'tokens'],
        ['provider=openai', 'tokens'],
        ['provider=openai&tokens=1&model_size_class=huge', 'model_size_class'],
        ['gpu=H200&hours=1&compare=1', 'compare'],
      ] as const) {
        const { status, body } = await estimate(query)
        expect(status, query).to.equal(400)
        expect(body.details.fields[0].field, query).to.equal(field)
      }
    })
  })
})
