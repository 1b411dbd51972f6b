import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import type { LoraRecipe } from '../../../core/compile/stages/lora/lora-recipe.ts'
import { hashJson } from '../../../core/kernel/json/json.ts'
import type { OpenedBase } from '../../../core/model/files/base-model.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type Answer, type ApiTenant } from '../../support/api.ts'
import { parseExposition } from '../../support/wire/exposition.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { givenVersion } from '../../support/archives/signed-artifacts.ts'
import { TINY_TRAINING, tinyRecipe, writeTinyBase } from '../../support/archives/tiny-bases.ts'

describe('adapters over HTTP', () => {
  const folders: string[] = []
  const database = useDatabase()
  const stores = () => ({ database, temporal: NO_TEMPORAL })
  const api = useApi({ stores, settings: { baseFolders: folders } })
  const busy = useApi({ stores, settings: { baseFolders: folders }, limits: { base_queue: 0 } })
  const small = useApi({ stores, settings: { baseFolders: folders }, limits: { bases_memory_bytes: 1_000_000 } })
  let base: OpenedBase
  let tenant: ApiTenant

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-run-bases-'))
    folders.push(folder)
    base = await writeTinyBase(folder, 'tiny')
    tenant = await givenApiTenant(api)
  })
  after(async () => {
    for (const folder of folders) await rm(folder, { recursive: true })
  })

  const givenAdapter = async (seed: number, changes: Partial<LoraRecipe> = {}) => {
    const op = systemOperation(database.db, { tenantId: tenant.id, name: 'test', requestId: 'test' })
    const signer = api.server.services.signingKeys.current
    return await givenVersion(op, { recipe: tinyRecipe(base, seed, changes), training: TINY_TRAINING, signer })
  }
  const run = async (versionId: string, input: string, more: object = {}, from: typeof api = api): Promise<Answer> =>
    await from.call('POST', '/v1/run', { key: tenant.key, body: { version_id: versionId, input, ...more } })
  const statsOf = async (conceptId: string) =>
    (await api.call('GET', `/v1/concepts/${conceptId}/stats`, { key: tenant.key })).body
  const unitsUsed = async (from: typeof api = api): Promise<number> => {
    await from.server.services.meter.flush()
    return (await from.call('GET', '/v1/account', { key: tenant.key })).body.period.used
  }

  it('answers concurrent calls of different adapters as it answers each alone, with receipts and tokens', async () => {
    const versions = await Promise.all([1, 2, 3].map(async (seed) => await givenAdapter(seed)))
    const calls = Array.from({ length: 12 }, (_, place) => ({
      version: versions[place % 3],
      input: `${'more words '.repeat(place % 4)}question ${place}`,
    }))
    const ask = async ({ version, input }: (typeof calls)[number]) =>
      await run(version?.versionId ?? '', input, { use_cache: false })
    const together = await Promise.all(calls.map(ask))
    for (const [place, call] of calls.entries()) {
      const answer = together[place]
      expect(answer?.status, answer?.text).to.equal(200)
      expect(answer?.body.output).to.match(/^[a-z]{5,9}$/)
      expect(answer?.body.receipt).to.deep.include({ output_hash: hashJson(answer?.body.output), cache_hit: false })
      expect(answer?.body.usage.prompt_tokens).to.be.greaterThan(2)
      expect(answer?.body.usage.new_tokens).to.be.within(1, 13)
      const alone = await ask(call)
      expect(alone.body.output).to.equal(answer?.body.output)
    }
    expect(new Set(together.map(({ body }) => body.output)).size).to.be.greaterThan(4)
    const stats = await statsOf(versions[0]?.conceptId ?? '')
    expect(stats).to.include({ invocations: 8, error_rate: 0 })
    expect(stats.tokens.new).to.be.within(8, 8 * 13)
    expect(stats.tokens.per_second).to.be.greaterThan(0)
    const page = parseExposition((await api.call('GET', '/metrics')).text)
    expect(page.value('svc_generation_tokens_total', { base: 'tiny', kind: 'new' })).to.be.within(24, 24 * 13)
    expect(page.value('svc_generation_batch_size', { base: 'tiny' })).to.equal(0)
    expect(page.value('svc_generation_queue_depth', { base: 'tiny' })).to.equal(0)
    expect(page.value('svc_generation_adapter_bytes', { base: 'tiny' })).to.be.greaterThan(0)
  })

  it('remembers an answer, which then costs no units and no tokens', async () => {
    const { versionId } = await givenAdapter(4)
    const first = await run(versionId, 'the same question')
    const second = await run(versionId, 'the same question')
    expect([first.body.cache_hit, second.body.cache_hit]).to.deep.equal([false, true])
    expect(second.body.output).to.equal(first.body.output)
    expect(first.body).to.have.property('usage')
    expect(second.body).not.to.have.property('usage')
  })

  it('keeps an adapter from other tenants', async () => {
    const { versionId, conceptId } = await givenAdapter(5)
    const other = await givenApiTenant(api)
    for (const target of [{ version_id: versionId }, { concept_id: conceptId }]) {
      const answer = await api.call('POST', '/v1/run', { key: other.key, body: { ...target, input: 'x' } })
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'not_found'])
    }
  })

  it('refuses, before anything is charged, a base that differs, is absent or too large', async () => {
    const known = tinyRecipe(base, 1).recipe.base
    const differing = await givenAdapter(6, { base: { ...known, weights_hash: `sha256:${'1'.repeat(64)}` } })
    const absent = await givenAdapter(6, { base: { ...known, name: 'absent' } })
    const fitting = await givenAdapter(6)
    const before = await unitsUsed()
    const mismatch = await run(differing.versionId, 'x')
    expect([mismatch.status, mismatch.body.code]).to.deep.equal([409, 'base_mismatch'])
    expect(mismatch.body.details).to.include({ base: 'tiny', found: base.model.weightsHash })
    const missing = await run(absent.versionId, 'x')
    expect([missing.status, missing.body.code]).to.deep.equal([503, 'base_not_installed'])
    const large = await run(fitting.versionId, 'x', {}, small)
    expect([large.status, large.body.code]).to.deep.equal([422, 'base_does_not_fit'])
    expect(large.body.details).to.include({ budget_bytes: 1_000_000 })
    expect(await unitsUsed()).to.equal(before)
    expect((await statsOf(differing.conceptId)).invocations).to.equal(0)
  })

  it('answers that it is busy when too many wait, and gives the units back', async () => {
    const { versionId, conceptId } = await givenAdapter(7)
    const before = await unitsUsed(busy)
    const answer = await run(versionId, 'x', {}, busy)
    expect([answer.status, answer.body.code]).to.deep.equal([503, 'model_busy'])
    expect(Number(answer.headers.get('retry-after'))).to.be.greaterThan(0)
    expect(await unitsUsed(busy)).to.equal(before)
    expect(await statsOf(conceptId)).to.include({ invocations: 0, tokens: null })
  })

  it('ends the work when the caller hangs up, and gives the units back', async () => {
    const long = { constraint: { type: 'regex', pattern: '[a-z ]{600,}' }, max_new_tokens: 200 } as const
    const { versionId, conceptId } = await givenAdapter(8, long)
    await run((await givenAdapter(9)).versionId, 'opens the base')
    const controller = new AbortController()
    const given = fetch(`${api.url}/v1/run`, {
      method: 'POST',
      signal: controller.signal,
      headers: { 'x-api-key': tenant.key, 'content-type': 'application/json' },
      body: JSON.stringify({ version_id: versionId, input: 'x' }),
    }).then(
      ({ status }) => status,
      () => 'hung up',
    )
    const active = async () => (await api.server.services.bases.stats()).get('tiny')?.active
    while ((await active()) !== 1) await pause(1)
    controller.abort()
    expect(await given).to.equal('hung up')
    while ((await active()) !== 0) await pause(1)
    expect((await statsOf(conceptId)).invocations).to.equal(0)
    expect((await run((await givenAdapter(9)).versionId, 'and goes on')).status).to.equal(200)
  })
})
