import { expect } from 'chai'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { fingerprintOf, openCertificate } from '../../../core/evidence/cc/certificates.ts'
import { type CcRoots, NO_ROOTS, openRoots } from '../../../core/evidence/cc/roots.ts'
import { type CcVerdict, verifyReport } from '../../../core/evidence/cc/verify-report.ts'
import { ecPair, issue, pemOf } from './given-certificates.ts'
import {
  givenNitroDocument,
  givenRoots,
  givenSnpReport,
  givenToken,
  givenVcek,
  MEASUREMENT,
  NONCE,
  NOW,
  type TestRoots,
} from './given-reports.ts'

const EXPECTED = { nonce: NONCE, measurement: MEASUREMENT }

describe('an attestation report', () => {
  let roots: TestRoots

  before(async () => {
    roots = await givenRoots()
  })

  const verify = async (
    kind: string,
    report: JsonObject,
    { expected = EXPECTED, pinned = roots.pinned, now = NOW }: { expected?: object; pinned?: CcRoots; now?: Date } = {},
  ): Promise<CcVerdict> => await verifyReport({ kind, report, expected }, pinned, now)
  const outcome = ({ state, verified, reason }: CcVerdict) => `${state} ${verified} ${reason}`

  const snp = (raw: Buffer, certificates = [pemOf(roots.snp.vcek), pemOf(roots.snp.ask)]) => ({
    raw: raw.toString('base64'),
    certificates,
  })
  const nitro = (raw: Buffer) => ({ raw: raw.toString('base64') })
  const nras = (token: string): JsonObject => ({
    gpu_id: '4792',
    driver_version: '550.90',
    vbios_version: '96.00',
    attestation_report: token,
    cert_chain: [roots.nras.leaf.der.toString('base64')],
    nonce: NONCE,
  })

  describe('of SEV-SNP', () => {
    it('is verified by VCEK, ASK and the pinned ARK, with nonce and measurement', async () => {
      const verdict = await verify('snp-report', snp(givenSnpReport(roots.snp.vcek)))
      expect(outcome(verdict)).to.equal('cryptographically_verified true all_checks_passed')
      expect(verdict.checks).to.deep.equal({
        signature: true,
        chain: true,
        validity: true,
        nonce: true,
        measurement: true,
      })
      expect(verdict.decoded).to.include({ measurement: MEASUREMENT, policy: '0x30000' })
    })

    it('is not verified without a nonce, a measurement or pinned roots', async () => {
      const report = snp(givenSnpReport(roots.snp.vcek))
      const open = [
        await verify('snp-report', report, { expected: { measurement: MEASUREMENT } }),
        await verify('snp-report', report, { expected: { nonce: NONCE } }),
        await verify('snp-report', report, { pinned: NO_ROOTS }),
      ]
      expect(open.map(outcome)).to.deep.equal([
        'unverified false nonce_not_given',
        'unverified false measurement_not_given',
        'unverified false no_pinned_roots',
      ])
    })

    it('is refused for each thing that is wrong', async () => {
      const { vcek, ask } = roots.snp
      const raw = givenSnpReport(vcek)
      const chain = [pemOf(vcek), pemOf(ask)]
      const stranger = issue({ name: 'ARK', pair: ecPair(), isCa: true })
      const strange = givenVcek(issue({ name: 'ASK', pair: ecPair(), issuer: stranger, isCa: true }))
      const otherChip = givenVcek(ask, { chipId: Buffer.alloc(64, 1) })
      const otherLevel = givenVcek(ask, { levels: { 1: 3, 2: 0, 3: 9, 8: 115 } })
      const old = givenVcek(ask, { to: new Date('2026-01-01') })
      const outcomes = [
        await verify('snp-report', snp(Buffer.concat([raw, Buffer.from([0])]))),
        await verify('snp-report', snp(raw.subarray(1))),
        await verify('snp-report', snp(raw, [])),
        await verify('snp-report', snp(raw, [pemOf(vcek)])),
        await verify('snp-report', snp(givenSnpReport(strange), [pemOf(strange), pemOf(stranger)])),
        await verify('snp-report', snp(givenSnpReport(otherChip), [pemOf(otherChip), ...chain])),
        await verify('snp-report', snp(givenSnpReport(otherLevel), [pemOf(otherLevel), ...chain])),
        await verify('snp-report', snp(givenSnpReport(old), [pemOf(old), ...chain])),
        await verify('snp-report', snp(givenSnpReport(vcek, (bytes) => bytes.writeBigUInt64LE(0xb0000n, 8)))),
        await verify('snp-report', snp(raw), { expected: { ...EXPECTED, nonce: 'a1'.repeat(31) } }),
        await verify('snp-report', snp(raw), { expected: { ...EXPECTED, measurement: '00'.repeat(48) } }),
        await verify('snp-report', { ...snp(raw), measurement: '00'.repeat(48) }),
        await verify('snp-report', { raw: `${raw.toString('base64')}\n`, certificates: chain }),
      ]
      expect(outcomes.map(outcome)).to.deep.equal([
        'rejected false trailing_bytes',
        'rejected false report_too_short',
        'rejected false vcek_missing',
        'rejected false untrusted_root',
        'rejected false untrusted_root',
        'rejected false chip_mismatch',
        'rejected false tcb_mismatch',
        'expired false certificate_expired',
        'rejected false debug_allowed',
        'rejected false nonce_mismatch',
        'rejected false measurement_mismatch',
        'rejected false field_mismatch:measurement',
        'rejected false raw_malformed',
      ])
    })

    it('is revoked with a certificate that the operator lists', async () => {
      const revoked = [fingerprintOf(openCertificate(roots.snp.ask.der))]
      const pinned = openRoots({ ...roots.document, revoked })
      const verdict = await verify('snp-report', snp(givenSnpReport(roots.snp.vcek)), { pinned })
      expect(outcome(verdict)).to.equal('revoked false certificate_revoked')
    })
  })

  describe('of a Nitro enclave', () => {
    it('is verified under the pinned root', async () => {
      const verdict = await verify('nitro-attestation', nitro(givenNitroDocument(roots.nitro)))
      expect(outcome(verdict)).to.equal('cryptographically_verified true all_checks_passed')
      const registers = { 0: MEASUREMENT, 1: '02'.repeat(48) }
      const expected = { nonce: NONCE, measurement: registers }
      const byRegister = await verify('nitro-attestation', nitro(givenNitroDocument(roots.nitro)), { expected })
      expect(byRegister.verified).to.equal(true)
    })

    it('is refused for each thing that is wrong', async () => {
      const raw = givenNitroDocument(roots.nitro)
      const other = (await givenRoots()).nitro
      const debug = (fields: Map<string, unknown>) => fields.set('pcrs', new Map([[0, Buffer.alloc(48)]]))
      const changed = (change: (fields: Map<string, unknown>) => void) => givenNitroDocument(roots.nitro, { change })
      const outcomes = [
        await verify('nitro-attestation', nitro(Buffer.concat([raw, Buffer.from([0xf6])]))),
        await verify('nitro-attestation', nitro(raw.subarray(0, -1))),
        await verify('nitro-attestation', nitro(givenNitroDocument(roots.nitro, { header: new Map([[4, 'x']]) }))),
        await verify('nitro-attestation', nitro(givenNitroDocument(other))),
        await verify('nitro-attestation', nitro(changed(debug))),
        await verify('nitro-attestation', nitro(changed((fields) => fields.delete('pcrs')))),
        await verify('nitro-attestation', nitro(changed((fields) => fields.set('nonce', null)))),
        await verify(
          'nitro-attestation',
          nitro(changed((fields) => fields.set('timestamp', BigInt(NOW.getTime() + 1e9)))),
        ),
        await verify('nitro-attestation', nitro(raw), { now: new Date('2046-01-01') }),
        await verify('nitro-attestation', nitro(Buffer.from([0x9b, 0, 0, 0, 1, 0, 0, 0, 0]))),
        await verify('nitro-attestation', nitro(Buffer.alloc(30_000, 0x81))),
        await verify('nitro-attestation', { ...nitro(raw), module_id: 'i-another' }),
      ]
      expect(outcomes.map(outcome)).to.deep.equal([
        'rejected false trailing_bytes',
        'rejected false cbor_truncated',
        'rejected false cose_header_not_empty',
        'rejected false untrusted_root',
        'rejected false debug_allowed',
        'rejected false document_malformed',
        'rejected false nonce_mismatch',
        'rejected false report_not_yet_valid',
        'expired false certificate_expired',
        'rejected false cbor_truncated',
        'rejected false cbor_too_large',
        'rejected false field_mismatch:module_id',
      ])
    })
  })

  describe("of NVIDIA's attestation service", () => {
    const expected = { nonce: NONCE }

    it('is verified under a pinned key', async () => {
      const verdict = await verify('nras', nras(await givenToken(roots.nras)), { expected })
      expect(outcome(verdict)).to.equal('cryptographically_verified true all_checks_passed')
      expect(verdict.decoded).to.include({ measres: 'success', ueid: '4792' })
    })

    it('is refused for each thing that is wrong', async () => {
      const token = await givenToken(roots.nras)
      const unsigned = `${Buffer.from('{"alg":"none","kid":"nras-1"}').toString('base64url')}.${token.split('.')[1]}.`
      const outcomes = [
        await verify('nras', nras(`${token}A`)),
        await verify('nras', nras(unsigned)),
        await verify('nras', nras(await givenToken({ ...roots.nras, kid: 'nras-2' }))),
        await verify('nras', nras(await givenToken((await givenRoots()).nras))),
        await verify('nras', nras(await givenToken(roots.nras, { exp: 1 }))),
        await verify('nras', nras(await givenToken(roots.nras, { measres: 'fail' }))),
        await verify('nras', nras(await givenToken(roots.nras, { dbgstat: 'enabled' }))),
        await verify('nras', nras(await givenToken(roots.nras, { eat_nonce: '00' }))),
        await verify('nras', { ...nras(token), driver_version: '1.0' }),
        await verify('nras', { ...nras(token), cert_chain: [pemOf(roots.nitro.root)] }),
        await verify('nras', nras(token), { expected: {} }),
        await verify('nras', nras(token)),
        await verify('nras', nras(await givenToken(roots.nras, { dbgstat: undefined })), { expected }),
        await verify('nras', nras(await givenToken(roots.nras, { secboot: undefined })), { expected }),
      ]
      expect(outcomes.map(outcome)).to.deep.equal([
        'rejected false token_malformed',
        'rejected false token_malformed',
        'rejected false key_not_pinned',
        'rejected false signature_invalid',
        'expired false token_expired',
        'rejected false measurement_mismatch',
        'rejected false measurement_mismatch',
        'rejected false nonce_mismatch',
        'rejected false field_mismatch:driver_version',
        'rejected false certificate_of_another_key',
        'unverified false nonce_not_given',
        'unverified false measurement_not_comparable',
        'rejected false measurement_mismatch',
        'rejected false measurement_mismatch',
      ])
    })
  })

  it('of fields alone has its shape checked, and is never verified', async () => {
    const quote = {
      quote: 'AAAA',
      tee_type: 'TDX',
      tcb_evaluation_data_number: 17,
      ...Object.fromEntries(
        ['mr_td', 'mr_seam', 'rtmr0', 'rtmr1', 'rtmr2', 'rtmr3'].map((name) => [name, 'AB'.repeat(48)]),
      ),
      report_data: '00'.repeat(64),
    }
    const { attestation_report: _token, ...gpu } = nras('')
    const outcomes = [
      await verify('pccs', quote),
      await verify('pccs', { ...quote, mr_td: 'AB'.repeat(32) }),
      await verify('nras', { ...gpu, attestation_report: 'AAAA' }),
      await verify('snp-report', { version: 2 }),
      await verify('tea-leaves', {}),
    ]
    expect(outcomes.map(outcome)).to.deep.equal([
      'shape_ok false verifier_not_available',
      'rejected false bad_field_type',
      'shape_ok false shape_only_no_crypto_chain',
      'rejected false missing_fields',
      'rejected false unknown_kind',
    ])
  })

  it('is refused after a change of a single bit, in each of its bytes', async () => {
    const survivors: string[] = []
    // `npm run bench -- attestation` changes all eight bits of each byte.
    const flipAll = async (name: string, bytes: Buffer, check: (flipped: Buffer) => Promise<CcVerdict>) => {
      for (const [at, byte] of bytes.entries()) {
        const flipped = Buffer.from(bytes)
        flipped[at] = byte ^ (1 << ((at * 5) % 8))
        if ((await check(flipped)).verified) survivors.push(`${name} ${at}`)
      }
    }
    const chain = [pemOf(roots.snp.vcek), pemOf(roots.snp.ask)]
    const token = Buffer.from(await givenToken(roots.nras))
    await Promise.all([
      flipAll('snp', givenSnpReport(roots.snp.vcek), async (raw) => await verify('snp-report', snp(raw, chain))),
      flipAll('nitro', givenNitroDocument(roots.nitro), async (raw) => await verify('nitro-attestation', nitro(raw))),
      flipAll('nras', token, async (raw) => await verify('nras', nras(raw.toString('latin1')))),
    ])
    expect(survivors).to.deep.equal([])
  })
})
