import { expect } from 'chai'
import { buildContent, packContent, unpackContent } from '../../../../core/compile/archive/members/content.ts'
import { unpackArchive } from '../../../../core/compile/archive/unpack.ts'
import { verifyArchive } from '../../../../core/compile/archive/verify.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { toJwk } from '../../../../core/ledger/keys/jwk.ts'
import {
  ADAPTER_RECIPE,
  adapterBytes,
  contentInput,
  fixedSigningKey,
  sealAdapter,
  sealFixture,
} from '../../../support/archives/archives.ts'
import { membersOf, rawZip, type RawMember } from './raw-zip.ts'

const PINNED = { trustedKeys: [toJwk(fixedSigningKey().publicKey)] }

/** Why something is refused. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof DomainError ? error.message : 'accepted'
}

describe('archive of an adapter', () => {
  it('holds the adapter as PEFT writes it, and how it was trained', async () => {
    const { archive, manifest, evidence } = await sealAdapter()
    const { members, build } = await unpackArchive(archive)
    expect([...members.keys()]).to.deep.equal([
      'manifest.json',
      'recipes.json',
      'adapter_config.json',
      'adapter_model.safetensors',
      'verifier.json',
      'evals.json',
      'capability.json',
      'build.json',
      'evidence.json',
      'training.json',
      'training.svg',
      'receipt.json',
      'signature.sig',
    ])
    expect(members.get('adapter_model.safetensors')).to.deep.equal(new Uint8Array(adapterBytes().weights))
    expect(manifest).to.include({ artifact_class: 'lora', base_model: 'nano' })
    expect(build.base).to.deep.equal(ADAPTER_RECIPE.base)
    expect(evidence.nodes.map(({ id }) => id.split(':').slice(0, -1).join(':'))).to.include.members([
      'model:base',
      'training',
    ])
    const checked = await verifyArchive(archive, PINNED)
    expect(checked.ok, checked.detail).to.equal(true)
  })

  it('counts the adapter towards the CID, and its training only towards the build', async () => {
    const first = await sealAdapter()
    const retrained = await sealAdapter({ training: { document: { spec: 'svc-training-1' }, curve: '<svg/>' } })
    expect(retrained.cid).to.equal(first.cid)
    expect(retrained.artifactHash).not.to.equal(first.artifactHash)
    const recipe = { kind: 'lora', recipe: ADAPTER_RECIPE, adapter: adapterBytes(2) } as const
    const other = await sealFixture({ input: { recipe }, facts: { training: buildTraining() } })
    expect(other.cid).not.to.equal(first.cid)
    const packed = await packContent(buildContent(contentInput({ recipe })))
    expect((await unpackContent(packed)).cid).to.equal(other.cid)
  })

  it('is refused when anything of the adapter or its training was changed, added or left out', async () => {
    const { archive } = await sealAdapter()
    const members = await membersOf(Buffer.from(archive))
    expect(Buffer.compare(rawZip(members), Buffer.from(archive))).to.equal(0)
    const program = await membersOf(Buffer.from((await sealFixture()).archive))
    const flipped = (member: RawMember): RawMember => {
      const bytes = Buffer.from(member.bytes)
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 4
      return { ...member, bytes }
    }
    for (const name of ['adapter_config.json', 'adapter_model.safetensors', 'training.json', 'training.svg']) {
      const own = members.find((member) => member.name === name)
      expect(own, name).not.to.equal(undefined)
      const changed = members.map((member) => (member.name === name ? flipped(member) : member))
      const without = members.filter((member) => member.name !== name)
      const order = members.map((member) => member.name)
      const strange = [...program, ...(own === undefined ? [] : [own])].toSorted(
        (a, b) => order.indexOf(a.name) - order.indexOf(b.name),
      )
      for (const [what, mutated] of Object.entries({ changed, without, strange })) {
        expect((await verifyArchive(rawZip(mutated), PINNED)).ok, `${name} ${what}`).to.equal(false)
      }
    }
  })

  it('is not sealed without its training, nor a program with one', async () => {
    const recipe = { kind: 'lora', recipe: ADAPTER_RECIPE, adapter: adapterBytes() } as const
    expect(await refusalOf(sealFixture({ input: { recipe } }))).to.match(/lacks training.json/)
    expect(await refusalOf(sealFixture({ facts: { training: buildTraining() } }))).to.match(/lists training.json/)
  })

  it('refuses a recipe that names other files, or none of its own', async () => {
    const content = buildContent(
      contentInput({ recipe: { kind: 'lora', recipe: ADAPTER_RECIPE, adapter: adapterBytes() } }),
    )
    const swapped = new Map(content.members).set('adapter_config.json', adapterBytes().weights)
    expect(await refusalOf(packContent({ ...content, members: swapped }).then(unpackContent))).to.match(
      /adapter_config.json.*not what the recipe names/,
    )
  })
})

function buildTraining() {
  return { document: { spec: 'svc-training-1' }, curve: '<svg/>' }
}
