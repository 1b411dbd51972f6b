import { expect } from 'chai'
import { signDocument, type Ed25519Block } from '../../../../core/ledger/keys/sealed-document.ts'
import { toJwk } from '../../../../core/ledger/keys/jwk.ts'
import { canonicalJson, isJsonObject, sha256, type Json, type JsonObject } from '../../../../core/kernel/json/json.ts'
import { encodeJson, toJsonObject } from '../../../../core/compile/archive/members/members-json.ts'
import { computeCid } from '../../../../core/compile/archive/cid.ts'
import { verifyArchive } from '../../../../core/compile/archive/verify.ts'
import { REFUSALS } from '../../../../core/compile/archive/zip/refusal.ts'
import { fixedSigningKey, MAC_KEY, sealFixture } from '../../../support/archives/archives.ts'
import { forge, openMembers } from '../../../support/archives/forge.ts'
import { membersOf, rawZip, type RawMember } from './raw-zip.ts'

const PINNED = [toJwk(fixedSigningKey().publicKey)]
const ATTACKER = fixedSigningKey(66)

/** Numbers in 0..1 that are the same in every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

type Mutation = readonly [name: string, archive: Uint8Array, refusal?: string]

describe('mutated archives', () => {
  let good: Buffer
  let other: Buffer
  let members: RawMember[]

  before(async () => {
    good = Buffer.from((await sealFixture()).archive)
    other = Buffer.from((await sealFixture({ facts: { jobId: 'cmp_22222222222222222222222222' } })).archive)
    members = await membersOf(good)
    // The hand-made form of the good archive is the good archive, so each mutation below changes what it says it does.
    expect(Buffer.compare(rawZip(members), good)).to.equal(0)
    expect((await verifyArchive(good, { trustedKeys: PINNED })).ok).to.equal(true)
  })

  async function refuseAll(mutations: readonly Mutation[]): Promise<void> {
    for (const [name, archive, refusal] of mutations) {
      for (const trustedKeys of [PINNED, undefined]) {
        const result = await verifyArchive(archive, trustedKeys === undefined ? {} : { trustedKeys })
        expect(result.ok, name).to.equal(false)
        expect(result.reason, name).to.be.a('string')
        expect(result.detail, name).to.be.a('string').and.not.to.equal('')
        expect(result.opened, name).to.equal(undefined)
        if (refusal !== undefined) expect(result.refusal, `${name}: ${result.detail}`).to.equal(refusal)
        if (result.refusal !== undefined) expect(REFUSALS).to.have.property(result.refusal)
      }
    }
  }

  const replaced = (name: string, change: Partial<RawMember>) =>
    rawZip(members.map((member) => (member.name === name ? { ...member, ...change } : member)))
  const added = (...extra: RawMember[]) => rawZip([...members.slice(0, -1), ...extra, ...members.slice(-1)])
  const patched = (name: string, patch: NonNullable<RawMember['patch']>) => replaced(name, { patch })
  const junk = (text: string) => Buffer.from(text)

  it('refuses a flipped bit, wherever it is', async () => {
    const random = randomNumbers(3)
    const flips = Array.from({ length: 140 }, (_, i): Mutation => {
      const at = i < 100 ? Math.floor(random() * good.length) : good.length - 1 - Math.floor(random() * 700)
      const bit = Math.floor(random() * 8)
      const archive = Buffer.from(good)
      archive[at] = (archive[at] ?? 0) ^ (1 << bit)
      return [`bit ${bit} of byte ${at}`, archive]
    })
    await refuseAll(flips)
  })

  it('refuses bytes that were cut out, put in, doubled or blanked', async () => {
    const random = randomNumbers(4)
    const place = () => Math.floor(random() * (good.length - 40))
    const edits = Array.from({ length: 8 }, (): Mutation[] => {
      const at = place()
      const bytes = good.subarray(at, at + 1 + Math.floor(random() * 30))
      const head = good.subarray(0, at)
      return [
        [`cut after ${at}`, head],
        [`cut out at ${at}`, Buffer.concat([head, good.subarray(at + bytes.length)])],
        [`doubled at ${at}`, Buffer.concat([head, bytes, good.subarray(at)])],
        [`put in at ${at}`, Buffer.concat([head, junk('PK\u0001\u0002evil'), good.subarray(at)])],
        [`blanked at ${at}`, Buffer.concat([head, Buffer.alloc(bytes.length, 0xee), good.subarray(at + bytes.length)])],
      ]
    }).flat()
    const commented = Buffer.concat([good, junk('hello')])
    commented.writeUInt16LE(5, good.length - 2)
    await refuseAll([
      ...edits,
      ['empty', Buffer.alloc(0), 'not_a_zip'],
      ['not a zip', junk('{"spec":"svc-1"}'.repeat(10)), 'not_a_zip'],
      ['zeros', Buffer.alloc(good.length), 'not_a_zip'],
      ['prepended', Buffer.concat([junk('#!/bin/sh\n'), good]), 'prepended_data'],
      ['appended', Buffer.concat([good, junk('x')]), 'trailing_data'],
      ['commented', commented, 'trailing_data'],
      ['twice', Buffer.concat([good, good]), 'hidden_data'],
      ['another archive behind', Buffer.concat([good, other]), 'hidden_data'],
    ])
  })

  it('refuses members that were swapped, added, removed, doubled or moved', async () => {
    const bytesOf = (list: readonly RawMember[], name: string) =>
      list.find((member) => member.name === name)?.bytes ?? Buffer.alloc(0)
    const foreign = await membersOf(other)
    const swaps = members.slice(0, -1).map(({ name }, i): Mutation => {
      const next = members[(i + 1) % (members.length - 1)]?.name ?? ''
      return [`${name} holds ${next}`, replaced(name, { bytes: bytesOf(members, next) })]
    })
    const imports = ['manifest.json', 'build.json', 'evidence.json', 'receipt.json', 'signature.sig'].map(
      (name): Mutation => [`${name} of another build`, replaced(name, { bytes: bytesOf(foreign, name) })],
    )
    const removals = members.map(({ name }): Mutation => [
      `without ${name}`,
      rawZip(members.filter((member) => member.name !== name)),
      'missing_member',
    ])
    const doubled = members.map((member): Mutation => [`two ${member.name}`, added(member), 'duplicate_member'])
    const lookalikes = ['Manifest.json', 'RECIPES.JSON', 'ﬁle', 'recipes.ｊson'].map((name): Mutation => [
      `lookalike ${name}`,
      added({ name, bytes: junk('{}') }),
      name === 'ﬁle' ? 'unknown_member' : 'duplicate_member',
    ])
    await refuseAll([
      ...swaps,
      ...imports,
      ...removals,
      ...doubled,
      ...lookalikes,
      ['an unknown member', added({ name: 'run.sh', bytes: junk('rm -rf') }), 'unknown_member'],
      ['unlisted weights', rawZip(members.toSpliced(2, 0, { name: 'weights.bin', bytes: junk('w') }))],
      ['a directory', added({ name: 'recipes/', bytes: junk(''), stored: true }), 'special_file'],
      ['another order', rawZip(members.toReversed()), 'member_order'],
      ['signature first', rawZip([...members.slice(-1), ...members.slice(0, -1)]), 'member_order'],
      ['signature deflated', replaced('signature.sig', { stored: false })],
      ['a member stored', replaced('evals.json', { stored: true })],
      ['no member', Buffer.concat([rawZip([])]), 'missing_member'],
    ])
  })

  it('refuses names that lead elsewhere', async () => {
    const names = [
      '../recipes.json',
      '/etc/passwd',
      'a/../../b',
      '..\\recipes.json',
      'C:recipes.json',
      'C:\\x',
      './../x',
    ]
    const escapes = names.map((name): Mutation => [name, added({ name, bytes: junk('{}') }), 'path_traversal'])
    const invalid: Mutation[] = [
      ['a NUL', added({ name: 'recipes.json\0.txt', bytes: junk('{}') }), 'invalid_name'],
      ['a line break', added({ name: 'a\nb', bytes: junk('{}') }), 'invalid_name'],
      [
        'bytes that are no UTF-8',
        added({
          name: 'xx.json',
          bytes: junk('{}'),
          patch: (local, central) => {
            local[30] = 0xff
            central[46] = 0xff
          },
        }),
        'invalid_name',
      ],
    ]
    await refuseAll([...escapes, ...invalid])
  })

  it('refuses zip forms that archives do not have', async () => {
    const both = (local: Buffer, central: Buffer, at: number, value: number) => {
      local.writeUInt16LE(value, at)
      central.writeUInt16LE(value, at + 2)
    }
    const withMode = (mode: number) => (_local: Buffer, central: Buffer) =>
      central.writeUInt32LE((mode << 16) >>> 0, 38)
    const end = good.length - 22
    const endField = (at: number, value: number) => {
      const archive = Buffer.from(good)
      archive.writeUInt16LE(value, end + at)
      return archive
    }
    const locator = Buffer.alloc(20)
    locator.writeUInt32LE(0x07064b50, 0)
    await refuseAll([
      ['encrypted', patched('recipes.json', (local, central) => both(local, central, 6, 0x801)), 'encrypted'],
      [
        'strong encryption',
        patched('recipes.json', (local, central) => both(local, central, 6, 0x841)),
        'malformed_zip',
      ],
      ['descriptor', patched('evals.json', (local, central) => both(local, central, 6, 0x808)), 'data_descriptor'],
      ['LZMA', patched('evals.json', (local, central) => both(local, central, 8, 14)), 'unsupported_method'],
      ['symlink', patched('evals.json', withMode(0o120777)), 'symlink'],
      ['device', patched('evals.json', withMode(0o060644)), 'special_file'],
      ['executable', patched('evals.json', withMode(0o100755)), 'nonstandard_header'],
      ['DOS directory', patched('evals.json', (_local, central) => central.writeUInt8(0x10, 38)), 'special_file'],
      ['other local name', patched('evals.json', (local) => local.write('Evals.json', 30)), 'header_mismatch'],
      ['other local size', patched('evals.json', (local) => local.writeUInt32LE(1, 22)), 'header_mismatch'],
      ['other time', patched('evals.json', (local, central) => both(local, central, 10, 7)), 'nonstandard_header'],
      ['overlap', patched('evals.json', (_local, central) => central.writeUInt32LE(0, 42))],
      ['far offset', patched('evals.json', (_local, central) => central.writeUInt32LE(0x7fffffff, 42))],
      ['zip64 size', patched('evals.json', (_local, central) => central.writeUInt32LE(0xffffffff, 24)), 'zip64'],
      ['zip64 locator', Buffer.concat([good.subarray(0, end), locator, good.subarray(end)]), 'zip64'],
      ['zip64 count', endField(10, 0xffff), 'zip64'],
      ['many entries', endField(10, 0xfffe), 'multi_disk'],
      ['second disk', endField(4, 1), 'multi_disk'],
      [
        'fewer entries',
        (() => {
          const archive = endField(10, members.length - 1)
          archive.writeUInt16LE(members.length - 1, end + 8)
          return archive
        })(),
      ],
      [
        'thousands of entries',
        rawZip(Array.from({ length: 1025 }, (_, i) => ({ name: `m${i}`, bytes: junk('x') }))),
        'too_many_entries',
      ],
    ])
  })

  it('refuses bombs without inflating them', async () => {
    const zeros = Buffer.alloc(40 * 1024 * 1024)
    const gibibyte = 1024 * 1024 * 1024
    const grown = process.memoryUsage().rss
    await refuseAll([
      ['40 MiB of zeros', replaced('evals.json', { bytes: zeros }), 'compression_ratio'],
      ['a gibibyte claimed', replaced('evals.json', { claims: { sizeBytes: gibibyte } }), 'member_too_large'],
      ['more than claimed', replaced('evals.json', { bytes: zeros, claims: { sizeBytes: 1000 } }), 'corrupt_data'],
      ['less than claimed', replaced('evals.json', { claims: { sizeBytes: 1_000_000 } }), 'corrupt_data'],
      [
        'bytes behind the compressed stream',
        (() => {
          const { bytes } = members.find(({ name }) => name === 'evals.json') ?? { bytes: Buffer.alloc(0) }
          return replaced('evals.json', { claims: { sizeBytes: bytes.byteLength - 1 } })
        })(),
      ],
      [
        'three members of 60 MiB',
        rawZip(
          members.map((member) =>
            ['build.json', 'evals.json', 'verifier.json'].includes(member.name)
              ? { ...member, claims: { sizeBytes: 60 * 1024 * 1024, compressedBytes: 1024 * 1024 } }
              : member,
          ),
        ),
        'total_too_large',
      ],
    ])
    expect(process.memoryUsage().rss - grown).to.be.lessThan(200 * 1024 * 1024)
  })

  it('refuses what another key signed, and what a key signed that contradicts itself', async () => {
    const resign = (changes: Readonly<Record<string, (document: JsonObject) => Json>>, spelling = canonicalJson) =>
      resealed(members, changes, spelling)
    // Sealed again by another key, everything else right: only a pinned key tells.
    const taken = await forge(
      await openMembers(good),
      { changes: {}, isThorough: true },
      { signer: ATTACKER, macKey: MAC_KEY },
    )
    expect(await verifyArchive(taken)).to.deep.include({
      ok: true,
      trusted: 'unknown_signer',
      fingerprint: ATTACKER.kid,
    })
    expect(await verifyArchive(taken, { trustedKeys: PINNED })).to.deep.include({
      ok: false,
      trusted: 'untrusted',
      reason: 'signature_invalid',
    })
    const withUnlisted = resealed(
      [...members.slice(0, -1), { name: 'weights.bin', bytes: junk('w') }, ...members.slice(-1)],
      {},
    )
    await refuseAll([
      ['another program', resign({ 'recipes.json': (document) => withProgram(document) })],
      ['a better K', resign({ 'manifest.json': (document) => ({ ...document, k_score: 1 }) })],
      ['another job', resign({ 'manifest.json': (document) => ({ ...document, job_id: 'cmp_x' }) })],
      ['another CID', resign({ 'manifest.json': (document) => ({ ...document, cid: computeCid({}) }) })],
      ['a lower floor', resign({ 'build.json': (document) => ({ ...document, k_score_floor: 0.1 }) })],
      ['a leak', resign({ 'build.json': (document) => ({ ...document, seed_provenance: {} }) })],
      ['hashes of nothing', resign({ 'manifest.json': (document) => ({ ...document, hashes: {} }) })],
      ['an empty table', resign({ 'manifest.json': (document) => ({ ...document, members: {} }) })],
      ['no chain', resign({ 'receipt.json': (document) => ({ ...document, chain: [] }) })],
      ['a field too many', resign({ 'recipes.json': (document) => ({ ...document, note: 'hi' }) })],
      ['a list as a document', resign({ 'build.json': () => [] }), 'invalid_document'],
      ['white space', resign({}, (value) => JSON.stringify(value, null, 1)), 'not_canonical'],
      ['a second spelling', resign({}, (value) => `${canonicalJson(value).slice(0, -1)},"spec":"x"}`), 'not_canonical'],
      ['a byte order mark', resign({}, (value) => `\ufeff${canonicalJson(value)}`), 'not_canonical'],
      ['deep nesting', resign({}, () => `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)],
      ['an unlisted member', withUnlisted],
    ])
  })
})

function withProgram(document: JsonObject): Json {
  return JSON.parse(canonicalJson(document).replace('"upper"', '"lower"'))
}

/**
 * Changes documents and signs the archive again with the attacker's key, digests in the manifest and in signature.sig
 * brought up to date, as far as an attacker without the service's key can go.
 */
function resealed(
  members: readonly RawMember[],
  changes: Readonly<Record<string, (document: JsonObject) => Json>>,
  spelling: (value: Json) => string = canonicalJson,
): Buffer {
  const list = members.map((member) => ({ ...member }))
  const documentOf = (name: string): JsonObject => {
    const value: Json = JSON.parse(Buffer.from(list.find((member) => member.name === name)?.bytes ?? '').toString())
    return isJsonObject(value) ? value : {}
  }
  const put = (name: string, value: Json, bytes = encodeJson(value)) => {
    const at = list.findIndex((member) => member.name === name)
    const old = list[at]
    if (old !== undefined) list[at] = { ...old, bytes }
  }
  for (const [name, change] of Object.entries(changes)) put(name, change(documentOf(name)))
  const { signature_ed25519: _receiptBlock, ...receipt } = documentOf('receipt.json')
  put('receipt.json', toJsonObject(signDocument(receipt, ATTACKER)))
  const manifest = documentOf('manifest.json')
  const table = isJsonObject(manifest['members']) ? manifest['members'] : {}
  const fresh = Object.entries(table).map(([name, line]): [string, Json] => {
    const bytes = list.find((member) => member.name === name)?.bytes ?? Buffer.alloc(0)
    return [name, { ...(isJsonObject(line) ? line : {}), sha256: sha256(bytes), size_bytes: bytes.byteLength }]
  })
  const updated = { ...manifest, members: Object.fromEntries(fresh) }
  put('manifest.json', updated, Buffer.from(spelling(updated)))
  const manifestBytes = list.find((member) => member.name === 'manifest.json')?.bytes ?? Buffer.alloc(0)
  const unsigned = rawZip(list.filter((member) => member.name !== 'signature.sig'))
  const size = unsigned.readUInt32LE(unsigned.length - 6)
  const { signature_ed25519: _block, ...signature } = documentOf('signature.sig')
  const body = {
    ...signature,
    manifest_hash: sha256(manifestBytes),
    container: { size_bytes: size, sha256: sha256(unsigned.subarray(0, size)) },
  }
  const signed: JsonObject & { signature_ed25519: Ed25519Block } = signDocument(body, ATTACKER)
  put('signature.sig', toJsonObject(signed))
  return rawZip(list)
}
