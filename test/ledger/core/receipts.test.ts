import { expect } from 'chai'
import { openMacKey } from '../../../core/kernel/json/mac.ts'
import { toJwk, trustKeys } from '../../../core/ledger/keys/jwk.ts'
import type { SecretState } from '../../../core/ledger/keys/secret-lookup.ts'
import { signDriveBy } from '../../../core/ledger/receipts/drive-by.ts'
import { signRunReceipt } from '../../../core/ledger/receipts/run-receipt.ts'
import { receiptError } from '../../../core/ledger/receipts/verification.ts'
import { verifyReceipt, verifyReceiptOffline } from '../../../core/ledger/receipts/verify-receipt.ts'
import { hashJson, isJsonObject, type Json, type JsonObject } from '../../../core/kernel/json/json.ts'
import { fixedSigningKey, MAC_KEY, sealFixture } from '../../support/archives/archives.ts'
import { toJsonObject } from '../../../core/compile/archive/members/members-json.ts'

const SIGNER = fixedSigningKey()
const KEYS = trustKeys([toJwk(SIGNER.publicKey)])

const findSecret = (keyId: string): SecretState => {
  if (keyId === MAC_KEY.keyId) return { state: 'live', secret: MAC_KEY.secret }
  return { state: keyId === 'rsk_pruned' ? 'pruned' : 'unknown' }
}

function runReceipt(keyId = MAC_KEY.keyId): JsonObject {
  const receipt = signRunReceipt(
    {
      inputHash: hashJson('in'),
      outputHash: hashJson({ out: 1 }),
      versionId: 'ver_1',
      runtimeVersion: 'svc-runtime-1',
      issuedAt: new Date('2026-01-01T00:00:00.000Z'),
      sourceHash: hashJson('artifact'),
      cacheHit: false,
      latencyUs: 42,
    },
    { macKey: { keyId, secret: MAC_KEY.secret }, signingKey: SIGNER },
  )
  return toJsonObject(receipt)
}

async function buildReceipt(): Promise<JsonObject> {
  return toJsonObject((await sealFixture()).receipt)
}

/** Every value in a document changed in a way that keeps its form, one at a time. */
function* tamperings(value: Json, path: string): Generator<[string, Json]> {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      for (const [at, other] of tamperings(item, `${path}[${i}]`)) yield [at, value.with(i, other)]
    }
    yield [`${path} shortened`, value.slice(1)]
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      for (const [at, other] of tamperings(member, `${path}.${name}`)) yield [at, { ...value, [name]: other }]
    }
    yield [`${path} extended`, { ...value, added: 1 }]
  } else if (typeof value === 'string') {
    const last = value.slice(-1)
    yield [path, `${value.slice(0, -1)}${last === '0' ? '1' : '0'}`]
  } else if (typeof value === 'number') {
    yield [path, value / 2 + 0.25]
  } else {
    yield [path, value === true ? false : true]
  }
}

describe('receipts', () => {
  it('verify with the secret and with the public key alone, run and build', async () => {
    for (const receipt of [runReceipt(), await buildReceipt()]) {
      const online = await verifyReceipt(receipt, { findSecret, keys: KEYS })
      expect(online).to.deep.include({ verified: true, reasons: [] })
      expect(online.checks).to.deep.include({ hmac: true, ed25519: true })
      expect(verifyReceiptOffline(receipt, KEYS)).to.deep.include({ verified: true, reasons: [] })
    }
  })

  it('notice a change of any value at any depth, with the secret or the public key alone', async () => {
    let tried = 0
    for (const receipt of [runReceipt(), await buildReceipt()]) {
      for (const [path, tampered] of tamperings(receipt, '')) {
        const online = await verifyReceipt(tampered, { findSecret, keys: KEYS })
        expect(online.verified, path).to.equal(false)
        expect(online.code, path).to.be.oneOf(['signature_mismatch', 'malformed_receipt', 'unknown_receipt_key'])
        expect(verifyReceiptOffline(tampered, KEYS).verified, path).to.equal(false)
        tried++
      }
    }
    expect(tried).to.be.greaterThan(70)
  })

  it('answer the contract: hashes altered is 409, even where the published key is not known', async () => {
    for (const receipt of [runReceipt(), await buildReceipt()]) {
      const altered = Object.entries(receipt).map(([name, value]): [string, Json] => [
        name,
        name.endsWith('hash') && typeof value === 'string' ? value.replace(/.{6}$/, 'abcdef') : value,
      ])
      const result = await verifyReceipt(Object.fromEntries(altered), { findSecret })
      expect(result.code).to.equal('signature_mismatch')
      expect(receiptError(result)).to.deep.include({ code: 'signature_mismatch' })
    }
  })

  it('tell a pruned secret, an unknown key and a malformed receipt apart', async () => {
    const code = async (receipt: Json) => (await verifyReceipt(receipt, { findSecret })).code
    expect(await code(runReceipt('rsk_pruned'))).to.equal('receipt_secret_rotated')
    expect(await code(runReceipt('rsk_nobody'))).to.equal('unknown_receipt_key')
    const { hmac: _hmac, ...withoutMac } = runReceipt()
    const malformed: Json[] = ['nope', null, 7, [], {}, { spec: 'rs-1' }, { receipt_id: 'x' }, withoutMac]
    for (const receipt of malformed) expect(await code(receipt)).to.equal('malformed_receipt')
  })

  it('are not believed when another key signed them', async () => {
    const { receipt } = await sealFixture({ signer: fixedSigningKey(2) })
    const foreign = toJsonObject(receipt)
    expect(verifyReceiptOffline(foreign, KEYS).reasons).to.include('signer_not_trusted')
    // With its HMAC right the service knows it as its own, signed with a key that it no longer publishes.
    const online = await verifyReceipt(foreign, { findSecret, keys: KEYS })
    expect(online).to.deep.include({ verified: true, reasons: ['signing_key_not_published'] })
    const forged = await sealFixture({ macKey: openMacKey(MAC_KEY.keyId, 'another secret') })
    expect((await verifyReceipt(toJsonObject(forged.receipt), { findSecret, keys: KEYS })).code).to.equal(
      'signature_mismatch',
    )
  })

  it('compare the values that the caller holds', async () => {
    const verify = async (values: { input?: Json; output?: Json }) =>
      await verifyReceipt(runReceipt(), { findSecret, ...values })
    expect((await verify({ input: 'in', output: { out: 1 } })).verified).to.equal(true)
    expect((await verify({ input: 'other' })).reasons).to.deep.equal(['input_match_failed'])
  })

  it('take drive-by claims by key or by the stored receipt', async () => {
    const stored = await buildReceipt()
    const { svc_version, artifact_hash, chain, signature } = stored
    const claim = toJsonObject({ svc_version, artifact_hash, chain, signature })
    const findBuildReceipt = async (hash: string) => await Promise.resolve(hash === artifact_hash ? stored : undefined)
    const options = { findSecret, findBuildReceipt }
    expect(await verifyReceipt(claim, options)).to.deep.include({ verified: true, mode: 'drive-by' })
    expect((await verifyReceipt({ ...claim, chain: [] }, options)).code).to.equal('signature_mismatch')
    expect((await verifyReceipt(claim, { findSecret })).code).to.equal('unknown_receipt_key')
    const moved = await verifyReceipt({ ...claim, artifact_hash: hashJson('other') }, options)
    expect([moved.code, moved.reasons]).to.deep.equal(['signature_mismatch', ['chain_end']])
    const signed = toJsonObject(signDriveBy(hashJson('artifact'), MAC_KEY))
    expect(await verifyReceipt(signed, { findSecret })).to.deep.include({ verified: true, mode: 'drive-by' })
    const other = { ...signed, artifact_hash: hashJson('other') }
    expect((await verifyReceipt(other, { findSecret })).code).to.equal('signature_mismatch')
  })
})
