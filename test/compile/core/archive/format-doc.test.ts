import { createHash, createHmac, createPublicKey, verify } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { inflateRawSync } from 'node:zlib'
import canonicalize from 'canonicalize'
import { expect } from 'chai'
import { verifyByRecomputation } from '../../../../core/compile/archive/recompute/recompute.ts'
import { REFUSALS } from '../../../../core/compile/archive/zip/refusal.ts'
import { signText } from '../../../../core/ledger/keys/signing-key.ts'
import { fixedSigningKey, sealExample } from '../../../support/archives/archives.ts'

// A verifier written from docs/formats/svc-format.md alone: nothing of core is used but where a test says so.
const ROOT = new URL('../../../../docs/formats/', import.meta.url)
const SECRET = 'a secret of the test'
const CONTENT = ['recipes.json', 'verifier.json', 'evals.json', 'capability.json']

const digest = (data: Uint8Array | string) => `sha256:${createHash('sha256').update(data).digest('hex')}`
const canonical = (value: unknown) => canonicalize(value) ?? ''
const hash = (value: unknown) => digest(canonical(value))
const hmac = (value: unknown) => `hmac-sha256:${createHmac('sha256', SECRET).update(canonical(value)).digest('hex')}`
const parse = (text: string | Uint8Array | undefined) => JSON.parse(Buffer.from(text ?? '').toString())

function unzip(file: Buffer): Map<string, Buffer> {
  const members = new Map<string, Buffer>()
  for (let at = 0; file.readUInt32LE(at) === 0x04034b50;) {
    const [method, compressed, nameBytes] = [
      file.readUInt16LE(at + 8),
      file.readUInt32LE(at + 18),
      file.readUInt16LE(at + 26),
    ]
    const start = at + 30 + nameBytes
    const data = file.subarray(start, start + compressed)
    members.set(file.toString('utf8', at + 30, start), method === 8 ? inflateRawSync(data) : data)
    at = start + compressed
  }
  return members
}

function without(value: object, ...names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

function isSignedBy(x: string, text: string, signature: string): boolean {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(x, 'base64url')])
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
}

/** `SVC_RECORD_VECTORS=1` writes the archive and its digests again, after a change of the format. */
const isRecording = process.env['SVC_RECORD_VECTORS'] === '1'

/** Puts another text into the fenced block of the page with this info string. */
async function rewrite(info: string, text: string): Promise<void> {
  const page = await readFile(new URL('svc-format.md', ROOT), 'utf8')
  await writeFile(
    new URL('svc-format.md', ROOT),
    page.replace(await block(info), () => text),
  )
}

/** The fenced block of the page with this info string. */
async function block(info: string): Promise<string> {
  const page = await readFile(new URL('svc-format.md', ROOT), 'utf8')
  return page.split(`\`\`\`${info}\n`)[1]?.split('\n```')[0] ?? ''
}

describe('docs/formats/svc-format.md', () => {
  let file: Buffer
  let members: Map<string, Buffer>

  before(async () => {
    if (isRecording) await writeFile(new URL('vectors/example.svc', ROOT), (await sealExample()).archive)
    file = await readFile(new URL('vectors/example.svc', ROOT))
    members = unzip(file)
  })

  const hashesOf = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, digest(members.get(name) ?? '')]))

  it('states formulas that a verifier of its own reproduces', async () => {
    const manifest = parse(members.get('manifest.json'))
    const signature = parse(members.get('signature.sig'))
    const receipt = parse(members.get('receipt.json'))
    const build = parse(members.get('build.json'))
    const evals = parse(members.get('evals.json'))
    const { x } = signature.signature_ed25519.public_key
    const size = signature.container.size_bytes
    const recipe = parse(members.get('recipes.json')).recipes[0]
    const vector = {
      jwk: signature.signature_ed25519.public_key,
      hashes: hashesOf(CONTENT),
      cid: `cidv1:${hash({ hashes: hashesOf(CONTENT) })}`,
      artifact_hash: hash({ hashes: hashesOf([...CONTENT, 'build.json', 'evidence.json']) }),
      manifest_hash: digest(members.get('manifest.json') ?? ''),
      container: { size_bytes: size, sha256: digest(file.subarray(0, size)) },
      recipe_id: recipe.id,
      recipe_digest: hash(without(recipe, 'id')),
      eval_set_hash: hash(evals.rows.map(({ input, expected }: Record<string, unknown>) => ({ input, expected }))),
      results_hash: hash(evals.rows),
      spec_hash: hash({
        spec: { task: build.task, base_model: build.base_model, k_score_floor: build.k_score_floor },
      }),
      receipt_id: receipt.receipt_id,
      receipt_id_digest: hash({ artifact_hash: receipt.artifact_hash, job_id: receipt.job_id }),
      chain_outputs: receipt.chain.map((link: Record<string, unknown>) => link['output_hash']),
      first_link_hmac: hmac({ receipt_id: receipt.receipt_id, index: 0, ...without(receipt.chain[0], 'hmac') }),
      receipt_hmac: hmac(without(receipt, 'signature', 'signature_ed25519')),
      signature_hmac: hmac(without(signature, 'hmac', 'signature_ed25519')),
      signature: signature.signature_ed25519.signature,
    }
    if (isRecording) {
      await rewrite('json vector', JSON.stringify(vector, null, 2))
      await rewrite('text cid-input', canonical({ hashes: vector.hashes }))
    }
    expect(JSON.parse(await block('json vector'))).to.deep.equal(vector)
    expect(await block('text cid-input')).to.equal(canonical({ hashes: vector.hashes }))
    expect([manifest.cid, signature.cid, receipt.cid]).to.deep.equal([vector.cid, vector.cid, vector.cid])
    expect(signature).to.deep.include({ manifest_hash: vector.manifest_hash, hmac: vector.signature_hmac })
    expect(receipt).to.deep.include({ artifact_hash: vector.artifact_hash, signature: vector.receipt_hmac })
    expect(receipt.chain[0]).to.deep.include({ input_hash: vector.spec_hash, hmac: vector.first_link_hmac })
    for (const [i, link] of receipt.chain.slice(0, -1).entries()) {
      const { step, input_hash, subject, output_hash } = link
      expect(output_hash).to.equal(hash({ step, input_hash, subject }))
      expect(receipt.chain[i + 1].input_hash).to.equal(output_hash)
    }
    for (const document of [receipt, signature]) {
      const { signature: bytes, ...ed25519 } = document.signature_ed25519
      expect(isSignedBy(x, canonical({ ...document, signature_ed25519: ed25519 }), bytes)).to.equal(true)
    }
    for (const [name, line] of Object.entries<Record<string, unknown>>(manifest.members)) {
      expect(line['sha256'], name).to.equal(digest(members.get(name) ?? ''))
    }
  })

  it('shows a run receipt that verifies', async () => {
    if (isRecording) {
      const shown = without(JSON.parse(await block('json run-receipt')), 'hmac', 'signature')
      const body = { ...shown, source_hash: (await sealExample()).artifactHash }
      const sealed = { ...body, hmac: hmac(body) }
      const signature = signText(canonical(sealed), fixedSigningKey().privateKey)
      await rewrite('json run-receipt', JSON.stringify({ ...sealed, signature }, null, 2))
    }
    const receipt = JSON.parse(await block('json run-receipt'))
    const { jwk } = JSON.parse(await block('json vector'))
    expect(receipt.input_hash).to.equal(digest('"straße"'))
    expect(receipt.output_hash).to.equal(digest('"STRASSE"'))
    expect(receipt.hmac).to.equal(hmac(without(receipt, 'hmac', 'signature')))
    expect(isSignedBy(jwk.x, canonical(without(receipt, 'signature')), receipt.signature)).to.equal(true)
  })

  it('describes what the service writes and verifies today', async () => {
    const { jwk } = JSON.parse(await block('json vector'))
    const result = await verifyByRecomputation(file, { trustedKeys: [jwk] })
    expect(result, result.detail).to.deep.include({ ok: true, trusted: 'trusted' })
    const fresh = unzip(Buffer.from((await sealExample()).archive))
    for (const [name, bytes] of members) {
      // signature.sig holds the digest of compressed bytes, which another zlib may write differently.
      if (name !== 'signature.sig') expect(fresh.get(name)?.equals(bytes), name).to.equal(true)
    }
    const page = await readFile(new URL('svc-format.md', ROOT), 'utf8')
    for (const refusal of Object.keys(REFUSALS)) expect(page).to.include(`\`${refusal}\``)
  })
})
