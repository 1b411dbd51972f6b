import { expect } from 'chai'
import { loadArchive } from '../../../../core/compile/runtime/load-archive.ts'
import { verifyByRecomputation } from '../../../../core/compile/archive/recompute/recompute.ts'
import { verifyArchive } from '../../../../core/compile/archive/verify.ts'
import { toJwk } from '../../../../core/ledger/keys/jwk.ts'
import { isJsonObject, sha256, type Json, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { decodeArrays, encodeArrays } from '../../../../core/model/tabular/recipe/arrays.ts'
import { loanRows } from '../../../model/tabular/given.ts'
import { fixedSigningKey, sealFixture } from '../../../support/archives/archives.ts'
import { compileArchive } from '../../../support/archives/compiled.ts'
import { attestedFacts, isAttested } from '../../../support/archives/attested.ts'
import { walkLeaves } from '../../../support/archives/leaf-walk.ts'
import { forge, openMembers, type Forgery, type Members } from '../../../support/archives/forge.ts'
import { rowsOf } from '../rows/given-rows.ts'

const PINNED = { trustedKeys: [toJwk(fixedSigningKey().publicKey)] }

describe('archive of a tabular model', function () {
  this.timeout(180_000)
  let archive: Uint8Array
  let members: Members
  before(async () => {
    const rows = rowsOf(loanRows(40).map(({ input, output }) => [input, output] as const))
    const sealed = await compileArchive(rows, { floor: 0.5, workBudget: 20_000 })
    archive = sealed.archive
    members = await openMembers(archive)
    expect(sealed.manifest).to.deep.include({ artifact_class: 'tabular', base_model: 'none' })
  })

  it('holds recipe and weights, verifies, and runs with a confidence', async () => {
    expect([...members.keys()]).to.include('weights.bin')
    const result = await verifyByRecomputation(archive, { ...PINNED })
    expect(result.ok, result.detail).to.equal(true)
    const { recipe } = await loadArchive(archive, PINNED)
    if (recipe.kind !== 'pure') throw new Error('a tabular model needs no base')
    const answer = recipe.runner.run({ person: { income: 4800, work: 'employed' }, debts: 0 })
    expect(answer.abstained).to.equal(false)
    expect(answer.confidence).to.be.greaterThan(0.3)
  })

  /** Why an archive with changes, sealed again by a trusted key with all digests in line, does not verify. */
  async function refusal(from: Members, changes: Forgery['changes']): Promise<string> {
    const result = await verifyArchive(await forge(from, { changes, isThorough: true }), PINNED)
    const failed = result.checks.filter(({ status }) => status === 'fail').map(({ detail }) => detail)
    return result.ok ? 'accepted' : failed.join('; ')
  }

  /** Changes one member of the recipe. */
  const inRecipe = (name: 'tabular' | 'weights', change: (member: JsonObject) => JsonObject): Forgery['changes'] => ({
    'recipes.json': (document) => {
      const { recipes } = document
      const recipe: Json | undefined = Array.isArray(recipes) ? recipes[0] : undefined
      const member = recipe !== undefined && isJsonObject(recipe) ? recipe[name] : undefined
      if (recipe === undefined || !isJsonObject(recipe) || member === undefined || !isJsonObject(member))
        throw new Error('no tabular model')
      return { ...document, recipes: [{ ...recipe, [name]: change(member) }] }
    },
  })

  it('is refused with a forged header', async () => {
    const header = (change: JsonObject) => inRecipe('tabular', (tabular) => ({ ...tabular, ...change }))
    const target = (change: JsonObject) =>
      inRecipe('tabular', (tabular) => ({
        ...tabular,
        target: { ...(isJsonObject(tabular['target'] ?? null) ? Object(tabular['target']) : {}), ...change },
      }))
    expect(await refusal(members, header({}))).to.equal('accepted')
    for (const [changes, words] of [
      [header({ format: 'svc-tabular-9' }), 'recipes.json'],
      [header({ columns: [] }), 'recipes.json'],
      [header({ columns: [{ kind: 'number', path: ['a'], parts: ['value'] }] }), 'do not belong together'],
      [target({ threshold: 0.99 }), 'another threshold'],
      [target({ labels: ['ask', 'ask', 'grant'] }), 'recipes.json'],
      [target({ labels: ['ask', 'grant'] }), 'do not belong together'],
    ] as const)
      expect(await refusal(members, changes)).to.include(words)
  })

  it('is refused with forged weights: a cycle, a bias that is not finite, another format', async () => {
    const weights = members.get('weights.bin') ?? new Uint8Array()
    const arrays = decodeArrays(weights)
    const cyclic = encodeArrays({ ...arrays, left: arrays.left.map((child, node) => (node === 0 ? 0 : child)) })
    const unfinished = encodeArrays({ ...arrays, bias: new Float64Array(arrays.scores).fill(NaN) })
    for (const [bytes, words] of [
      [cyclic, 'a cycle'],
      [unfinished, 'bias 1 is not finite'],
      [Uint8Array.from(weights, (byte, place) => (place === 0 ? 0 : byte)), 'wrong magic'],
    ] as const) {
      const facts = { sha256: sha256(bytes), size_bytes: bytes.length }
      const changes = inRecipe('weights', (member) => ({ ...member, ...facts }))
      expect(await refusal(new Map([...members, ['weights.bin', bytes]]), changes)).to.include(words)
    }
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
    const weights = members.get('weights.bin') ?? new Uint8Array()
    expect(await refusal(new Map([...program, ['weights.bin', weights]]), {})).to.include('weights.bin')
  })
})
