import { expect } from 'chai'
import { computeCid, parseCid, parseHashes, verifyManifestHashes } from '../../../../core/compile/archive/cid.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import { sha256 } from '../../../../core/kernel/json/json.ts'

const A = `sha256:${'a'.repeat(64)}` as const
const B = `sha256:${'b'.repeat(64)}` as const

describe('cid', () => {
  it('is the digest of the canonical hashes block, whatever the order of members', () => {
    const text = `{"hashes":{"evals.json":"${B}","recipes.json":"${A}"}}`
    expect(computeCid({ 'recipes.json': A, 'evals.json': B })).to.equal(`cidv1:${sha256(text)}`)
    expect(computeCid({ 'evals.json': B, 'recipes.json': A })).to.equal(`cidv1:${sha256(text)}`)
    expect(computeCid({ 'recipes.json': A, 'evals.json': B })).to.equal(
      'cidv1:sha256:a70a55644f8460e45d6d640e9f4d8e56ea92d34ef2e58bcc7a50f98b62a003bb',
    )
  })

  it('takes one form only', () => {
    const good = computeCid({ 'recipes.json': A })
    expect(parseCid(good)).to.equal(good)
    const bad = [
      '',
      good.toUpperCase(),
      `${good}0`,
      ` ${good}`,
      good.replace('cidv1', 'cidv2'),
      good.slice(6),
      `${good}\n`,
    ]
    for (const text of bad)
      expect(
        codeOf(() => parseCid(text)),
        text,
      ).to.equal('invalid_cid')
  })

  it('answers claims about a hashes block, with or without the prefix on the digests', () => {
    const cid = computeCid({ 'recipes.json': A, 'evals.json': B })
    const bare = { 'recipes.json': 'a'.repeat(64), 'evals.json': B }
    expect(verifyManifestHashes(cid, bare)).to.deep.include({ verified: true, cid, manifest_hash_verified: true })
    const other = computeCid({ 'recipes.json': B })
    expect(verifyManifestHashes(other, bare)).to.deep.include({
      verified: false,
      error: 'manifest_hash_mismatch',
      expected_cid: cid,
      actual_cid: other,
    })
  })

  it('refuses hashes that are no digests', () => {
    const bad = [
      undefined,
      null,
      [],
      {},
      { a: 1 },
      { a: 'A'.repeat(64) },
      { '../a': A },
      { a: `sha512:${'a'.repeat(64)}` },
    ]
    for (const hashes of bad) expect(codeOf(() => parseHashes(hashes))).to.equal('invalid_hashes')
  })
})

function codeOf(act: () => unknown): string | undefined {
  try {
    act()
  } catch (error) {
    if (error instanceof DomainError) return error.code
  }
  return undefined
}
