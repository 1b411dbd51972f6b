import { expect } from 'chai'
import { loadArchive } from '../../../../core/compile/runtime/load-archive.ts'
import { verifyByRecomputation } from '../../../../core/compile/archive/recompute/recompute.ts'
import { verifyArchive } from '../../../../core/compile/archive/verify.ts'
import { isLeafMember } from '../../../../core/compile/runtime/composite/places.ts'
import { toJwk } from '../../../../core/ledger/keys/jwk.ts'
import { sha256, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { fixedSigningKey, sealFixture } from '../../../support/archives/archives.ts'
import { attestedFacts, isAttested } from '../../../support/archives/attested.ts'
import { compileArchive } from '../../../support/archives/compiled.ts'
import { documentOf, forge, openMembers, type Forgery, type Members } from '../../../support/archives/forge.ts'
import { walkLeaves } from '../../../support/archives/leaf-walk.ts'
import { messageRows } from '../runtime/composite/given.ts'

const PINNED = { trustedKeys: [toJwk(fixedSigningKey().publicKey)] }

describe('archive of a composite', function () {
  this.timeout(300_000)
  let archive: Uint8Array
  let members: Members
  before(async () => {
    const sealed = await compileArchive(messageRows(2), { floor: 0.4, workBudget: 900_000 })
    archive = sealed.archive
    members = await openMembers(archive)
    expect(sealed.manifest).to.deep.include({ artifact_class: 'composite', base_model: 'none' })
  })

  const leafMembers = () => [...members.keys()].filter(isLeafMember)

  it('holds the weights of its leaves, verifies, and runs', async () => {
    expect(documentOf(members, 'recipes.json')).to.include({ spec: 'svc-recipes-2' })
    expect(leafMembers()).to.have.length(1)
    const result = await verifyByRecomputation(archive, { ...PINNED })
    expect(result.ok, result.detail).to.equal(true)
    const hashes = documentOf(members, 'manifest.json')['hashes']
    expect(hashes).to.include.keys(leafMembers())
    const { recipe } = await loadArchive(archive, PINNED)
    if (recipe.kind !== 'pure') throw new Error('a composite needs no base')
    const text = 'Can you replace the oven light for me. It is 77 EUR on 05.06.2026. Ticket TK-1234'
    const answer = recipe.runner.run(text)
    expect(answer).to.deep.include({
      abstained: false,
      output: { desk: 'kitchen', amount: 77, on: '2026-06-05', ticket: 'TK-1234' },
    })
    expect(answer.confidence).to.be.within(0.2, 1)
  })

  it('states what became of each leaf', () => {
    const evals = documentOf(members, 'evals.json')
    const leaves: readonly JsonObject[] = JSON.parse(JSON.stringify(evals['leaves']))
    expect(leaves.map(({ path, part, kind }) => [path, part, kind])).to.deep.equal([
      [['amount'], 'value', 'program'],
      [['desk'], 'value', 'label'],
      [['on'], 'value', 'program'],
      [['ticket'], 'present', 'program'],
      [['ticket'], 'value', 'program'],
    ])
    expect(leaves.map(({ n }) => n)).to.deep.equal([48, 48, 48, 48, 32])
    const programs = leaves.filter(({ kind }) => kind === 'program')
    expect(programs.map(({ n, correct }) => n === correct)).to.deep.equal([true, true, true, true])
  })

  /** Why an archive with changes, sealed again by a trusted key with all digests in line, does not verify. */
  async function refusal(from: Members, changes: Forgery['changes']): Promise<string> {
    const result = await verifyArchive(await forge(from, { changes, isThorough: true }), PINNED)
    return result.ok ? 'accepted' : `${result.reason}: ${result.detail}`
  }

  /** Replaces texts in the canonical form of a document. */
  const replacing = (name: string, from: string | RegExp, to: string): Forgery['changes'] => ({
    [name]: (document) => {
      const text = JSON.stringify(document)
      const changed = text.replace(from, to)
      expect(changed).not.to.equal(text)
      const result: JsonObject = JSON.parse(changed)
      return result
    },
  })

  it('is refused with a forged tree', async () => {
    const inRecipe = (from: string | RegExp, to: string) => replacing('recipes.json', from, to)
    const own = leafMembers()[0] ?? ''
    const other = `leaf-${'0'.repeat(64)}.bin`
    const weights = members.get(own) ?? new Uint8Array()
    expect(await refusal(members, {})).to.equal('accepted')
    expect(await refusal(members, inRecipe('"reads":[]', '"reads":["/amount"]'))).to.include('in a circle')
    expect(await refusal(members, inRecipe('"name":"amount"', '"name":"desk"'))).to.include('stands twice')
    expect(await refusal(members, inRecipe('svc-composite-1', 'svc-composite-2'))).to.include('not well formed')
    expect(await refusal(members, inRecipe('svc-recipes-2', 'svc-recipes-1'))).to.include('recipes.json')
    const renamed = new Map([...members].map(([name, bytes]) => [name === own ? other : name, bytes]))
    expect(await refusal(renamed, inRecipe(own, other))).to.include('whose digest gives')
    expect(await refusal(new Map([...members, [other, weights]]), {})).to.include('not what the recipe names')
    const without = new Map([...members].filter(([name]) => name !== own))
    expect(await refusal(without, {})).to.include('not what the recipe names')
    const broken = Uint8Array.from(weights, (byte, place) => (place === 0 ? 0 : byte))
    const digest = inRecipe(sha256(weights), sha256(broken))
    expect(await refusal(new Map([...members, [own, broken]]), digest)).to.include('recipe_invalid: /desk')
  })

  it('is refused with other results of its leaves', async () => {
    const inEvals = (from: string | RegExp, to: string) => replacing('evals.json', from, to)
    expect(await refusal(members, inEvals(/"leaves":\["right"/, '"leaves":["wrong"'))).to.include('/amount is right')
    expect(
      await refusal(
        members,
        inEvals(/"correct":48,"failed":0,"kind":"program"/, '"correct":47,"failed":0,"kind":"program"'),
      ),
    ).to.include('not the sums')
    expect(await refusal(members, inEvals('"kind":"label"', '"kind":"program"'))).to.include('not those of the recipe')
    expect(await refusal(members, inEvals(/"leaves":\[("[a-z]+"|null),/, '"leaves":['))).to.include(
      'results of 4 leaves',
    )
  })

  it('holds no fact that may be changed, beside those that the format calls attested', async () => {
    const facts = await attestedFacts()
    const { forgeries, survivors } = await walkLeaves(members, {
      perFact: true,
      inside: ['recipes.json', 'evals.json', 'verifier.json', 'rows.json'],
    })
    expect(forgeries).to.be.greaterThan(50)
    expect(survivors.filter(({ leaf }) => !isAttested(leaf, facts))).to.deep.equal([])
  })

  it('is not what an archive of a program may name: its weights have no place there', async () => {
    const program = await openMembers((await sealFixture()).archive)
    const [own = ''] = leafMembers()
    const weights = members.get(own) ?? new Uint8Array()
    expect(await refusal(new Map([...program, [own, weights]]), {})).to.include(own)
  })
})
