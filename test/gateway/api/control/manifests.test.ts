import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { expectAudited } from '../../../support/db/audit.ts'
import { givenApiTenant, type Answer } from '../../../support/api.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { CENTER, MANIFEST, useControlCenter } from './control-center.ts'

describe('adapter manifests', function () {
  // On a busy machine each slow check of a schema takes several seconds.
  this.timeout(240_000)
  const { api, tenant, operation, validate } = useControlCenter()
  it('are checked, kept and never changed', async () => {
    const answer = await validate({ manifest: MANIFEST })
    expect(answer.status, answer.text).to.equal(200)
    const report = answer.body.adapter_manifest_validation
    expect(report).to.include({ ok: true, adapter_state: 'manifest-declared' })
    expect(report.fixture_redaction).to.deep.equal({ result: 'redacted:pii', classes: ['pii'] })
    expect(report.normalized_manifest.input_fields).to.deep.equal(['prompt'])
    const verified = await api.call('POST', '/v1/receipts/verify', { body: { receipt: report.receipt } })
    expect(verified.body, verified.text).to.include({ verified: true })
    await expectAudited(operation(), 'control.manifest_validated', report.manifest_id)
    // As it is, without the wrapping, it is the same one.
    expect((await validate(MANIFEST)).body.adapter_manifest_validation.manifest_id).to.equal(report.manifest_id)
    const changed = await validate({ ...MANIFEST, egress_destinations: [] })
    expect([changed.status, changed.body.code]).to.deep.equal([409, 'duplicate'])
  })

  it('are refused with everything that is wrong', async () => {
    const { test_fixture: _fixture, ...without } = MANIFEST
    const missing = await validate({ manifest: without })
    expect([missing.status, missing.body.code]).to.deep.equal([422, 'manifest_invalid'])
    expect(missing.body.details.adapter_manifest_validation.required_evidence.missing).to.deep.equal(['test_fixture'])
    for (const [change, field] of [
      [{ input_schema: { type: 'nonsense' } }, 'input_schema'],
      [{ input_schema: { $ref: 'https://example.com/schema.json' } }, 'input_schema'],
      [{ test_fixture: { prompt: 7 } }, 'test_fixture'],
      [{ test_fixture: { prompt: 'x', from: 'jane@example.com' } }, 'redaction_map'],
      [{ channel_family: 'pigeon' }, 'channel_family'],
      [{ egress_destinations: 'everywhere' }, 'egress_destinations'],
    ] as const) {
      const answer = await validate({ manifest: { ...MANIFEST, ...change } })
      expect([answer.status, answer.body.code], field).to.deep.equal([422, 'manifest_invalid'])
      expect(answer.body.details.fields.map((problem: { field: string }) => problem.field)).to.include(field)
    }
  })

  it('do not let what was redacted be guessed from their digest', async () => {
    const given = (mail: string) => ({
      ...MANIFEST,
      redaction_map: { prompt: 'pii', from: 'pii' },
      test_fixture: { prompt: 'hello', from: mail },
    })
    const first = await validate({ manifest: given('jane@example.com') })
    const second = await validate({ manifest: given('joan@example.com') })
    const hashOf = (answer: Answer) => answer.body.adapter_manifest_validation.manifest_hash
    expect(hashOf(first))
      .to.match(/^sha256:/)
      .and.equal(hashOf(second))
  })

  it('are kept in a number that has an end', async () => {
    const { db, limits } = api.server.services
    await sendSql(
      db,
      `insert into adapter_manifests (id, tenant_id, adapter_id, version, hash, manifest, report, created_at)
       select 'adm_' || n || $1, $1, 'many', n::text, '', '{}', '{}', now() from generate_series(1, $2::int) n`,
      [tenant().id, limits.adapter_manifests_per_tenant - 1],
    )
    expect((await validate({ manifest: MANIFEST })).status).to.equal(200)
    const refused = await validate({ manifest: { ...MANIFEST, adapter_version: '1.0.1' } })
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'limit_reached'])
  })

  describe('whose schema was made to do harm', () => {
    const alternatives = (depth: number) => ({
      $ref: '#/definitions/d0',
      definitions: Object.fromEntries(
        Array.from({ length: depth }, (_, at) => [
          `d${at}`,
          at === depth - 1
            ? { type: 'integer' }
            : { anyOf: [{ $ref: `#/definitions/d${at + 1}` }, { $ref: `#/definitions/d${at + 1}` }] },
        ]),
      ),
    })
    const node = { anyOf: [0, 1].map(() => ({ required: ['a'], properties: { a: { $ref: '#/definitions/node' } } })) }
    const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) })
    it('keeps no other tenant waiting, however many checks of one are under way', async () => {
      // A tenth of a second each: longer than it takes until the twenty have come.
      const slow = { ...MANIFEST, redaction_map: {}, input_schema: alternatives(16), test_fixture: 'a text' }
      const other = await givenApiTenant(api)
      let isAnswered = false
      const flood = Array.from({ length: 20 }, async () => {
        const answers: Answer[] = []
        while (!isAnswered || answers.length === 0) {
          const one = await validate({ manifest: slow })
          answers.push(one)
          if (one.status === 503) await sleep(50)
        }
        return answers
      })
      // The places of the one tenant are taken; they are taken again for as long as the other one waits.
      const answer = await api.call('POST', `${CENTER}/adapter-manifests/validate`, {
        key: other.key,
        body: { manifest: MANIFEST },
      })
      isAnswered = true
      expect(answer.status, answer.text).to.equal(200)
      const refused = (await Promise.all(flood)).flat().filter(({ status }) => status === 503)
      expect(refused).not.to.have.length(0)
      expect(refused[0]?.body.code).to.equal('busy')
      expect(refused[0]?.headers.get('retry-after')).to.equal('2')
    })

    for (const [what, input_schema, test_fixture] of [
      ['answers a promise that rejects', { $async: true, type: 'object', required: ['z'] }, {}],
      ['doubles with each definition', alternatives(40), 'a text'],
      ['doubles with each level of the value', { ...node, definitions: { node } }, nested(50)],
      ['leads to itself', { $ref: '#' }, {}],
      [
        'compares all with all',
        // Twenty times over, which takes many times the limit on any machine.
        { allOf: Array.from({ length: 20 }, () => ({ type: 'array', uniqueItems: true })) },
        // Texts of one length that differ in their last letters.
        Array.from({ length: 9000 }, (_, n) => ({ n: `${'a'.repeat(90)}${10_000 + n}` })),
      ],
      [
        'has a pattern that backtracks',
        { type: 'object', properties: { prompt: { pattern: '^(a+)+$' } } },
        { prompt: `${'a'.repeat(5000)}!` },
      ],
    ] as const) {
      it(`is refused in good time, and delays no other call: it ${what}`, async () => {
        let isOver = false
        const validation = validate({ manifest: { ...MANIFEST, redaction_map: {}, input_schema, test_fixture } })
        const answered = validation.finally(() => {
          isOver = true
        })
        let answeredMeanwhile = 0
        while (!isOver) {
          const health = await api.call('GET', '/v1/gateway/health')
          expect(health.status).to.equal(200)
          if (!isOver) answeredMeanwhile++
          // The check needs a core too.
          await sleep(20)
        }
        const answer = await answered
        expect([answer.status, answer.body.code], answer.text.slice(0, 300)).to.deep.equal([422, 'manifest_invalid'])
        // A check that takes all of its time does so beside the event loop.
        if (answer.text.includes('takes longer than')) expect(answeredMeanwhile).to.be.greaterThan(0)
      })
    }
  })
})
