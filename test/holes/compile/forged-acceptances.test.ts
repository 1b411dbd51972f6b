import { expect } from 'chai'
import { Manifest } from '../../../core/compile/archive/members/documents.ts'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { manifestContradictions } from '../../../core/compile/archive/verify/manifest-facts.ts'
import { isJsonObject, type JsonObject } from '../../../core/kernel/json/json.ts'
import { toJwk } from '../../../core/ledger/keys/jwk.ts'
import { fixedSigningKey } from '../../support/archives/archives.ts'
import { compileArchive } from '../../support/archives/compiled.ts'
import { documentOf, forge, openMembers, type Change, type Members } from '../../support/archives/forge.ts'
import { expectCode } from '../../support/wire/expect-code.ts'

const PINNED = { trustedKeys: [toJwk(fixedSigningKey().publicKey)] }
const ROWS = ['ada', 'grace', 'alan', 'edsger', 'barbara', 'tony'].map((name, i) => ({
  id: `row_${i + 1}`,
  input: name,
  output: name === 'tony' ? 'another answer' : name.toUpperCase(),
}))
/** Within the build and its signature. */
const ACCEPTED_AT = '2026-01-02T03:04:30.000Z'

/** The same change of both documents that state the acceptance. */
const both = (change: Change): Readonly<Record<string, Change>> => ({ 'build.json': change, 'manifest.json': change })
const without: Change = ({ accepted: _accepted, ...document }) => document
const accepted =
  (change: JsonObject): Change =>
  (document) => ({
    ...document,
    accepted: { ...(isJsonObject(document['accepted']) && document['accepted']), ...change },
  })
const withFloor =
  (floor: number): Change =>
  (document) => ({ ...document, k_score_floor: floor })
const withScore =
  (score: number): Change =>
  (document) => ({ ...document, k_score: score })
const allOf =
  (...changes: readonly Change[]): Change =>
  (document) =>
    changes.reduce((changed, change) => change(changed), document)
const readySeeds: Change = (document) => ({
  ...document,
  seed_provenance: {
    ...(isJsonObject(document['seed_provenance']) && document['seed_provenance']),
    production_ready: true,
  },
})
const otherGate: Change = (document) => ({
  ...document,
  nodes: (Array.isArray(document['nodes']) ? document['nodes'] : []).map((node) =>
    isJsonObject(node) && 'accepted_by' in node ? { ...node, accepted_by: 'key:key_2' } : node,
  ),
})

/** Forgeries, with a check that refuses each. The floor itself is what the caller asked for, which the signature attests. */
const FORGERIES: readonly (readonly [name: string, check: string, Readonly<Record<string, Change>>])[] = [
  ['hides that it was accepted', 'k_gate', both(without)],
  ['hides it in the manifest', 'fields', { 'manifest.json': without }],
  ['lowers the floor and keeps the acceptance', 'k_gate', both(withFloor(0.1))],
  ['raises the K-score to the floor and hides the acceptance', 'k_score', both(allOf(without, withScore(0.99)))],
  ['raises the K-score and keeps the acceptance', 'k_gate', both(withScore(0.95))],
  ['raises the K-score in the acceptance too', 'k_score', both(allOf(withScore(0.95), accepted({ k_score: 0.95 })))],
  ['names another floor', 'k_gate', both(accepted({ k_score_floor: 0.5 }))],
  ['names another K-score', 'k_gate', both(accepted({ k_score: 0.97 }))],
  ['was accepted before it was built', 'k_gate', both(accepted({ at: '2026-01-01T00:00:00.000Z' }))],
  ['was accepted after it was signed', 'k_gate', both(accepted({ at: '2026-01-03T00:00:00.000Z' }))],
  ['names another key in the manifest', 'fields', { 'manifest.json': accepted({ by: 'key:key_2' }) }],
  ['names another key in the evidence', 'evidence', { 'evidence.json': otherGate }],
  ['claims to be ready for production', 'provenance', { 'build.json': readySeeds }],
]

describe('forged acceptances below the floor', function () {
  this.timeout(180_000)
  let archive: Uint8Array
  let members: Members
  before(async () => {
    const sealed = await compileArchive(ROWS, { floor: 0.99, workBudget: 20_000, acceptedAt: ACCEPTED_AT })
    archive = sealed.archive
    members = await openMembers(archive)
  })

  it('pass nowhere, and the genuine archive passes', async () => {
    const genuine = await verifyArchive(archive, PINNED)
    expect(genuine.ok, genuine.detail).to.equal(true)
    for (const [name, check, changes] of FORGERIES) {
      const forged = await verifyArchive(await forge(members, { changes, isThorough: true }), PINNED)
      const failed = forged.checks.filter(({ status }) => status === 'fail').map((one) => one.name)
      expect(failed, name).to.include(check)
      expect(forged.ok, name).to.equal(false)
    }
  })

  it('are seen in a manifest alone', () => {
    const manifest = Manifest.parse(documentOf(members, 'manifest.json'))
    const { accepted: stated, ...hidden } = manifest
    expect(manifestContradictions(manifest)).to.deep.equal([])
    expect(manifestContradictions(hidden).join()).to.match(/^K 0\.\d+ is below the floor 0\.99 and was not accepted$/)
    const lowered = { ...hidden, ...(stated && { accepted: stated }), k_score_floor: 0 }
    expect(manifestContradictions(lowered).join()).to.include('nothing to accept')
  })

  it('are not sealed: a K-score below the floor needs an acceptance', async () => {
    await expectCode('k_score_below_floor', async () => await compileArchive(ROWS, { floor: 0.99, workBudget: 20_000 }))
  })
})
