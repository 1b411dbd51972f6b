import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readCcRoots } from '../../../api/evidence/cc/read-roots.ts'
import { givenApiTenant, useApi } from '../../support/api.ts'
import { pemOf } from '../core/given-certificates.ts'
import { givenRoots, givenSnpReport, MEASUREMENT, NONCE, NOW, type TestRoots } from '../core/given-reports.ts'

describe('attestation reports over HTTP', () => {
  let roots: TestRoots
  let folder: string
  const path = join(tmpdir(), `svc-cc-roots-${process.pid}`)

  before(async () => {
    roots = await givenRoots()
    folder = await mkdtemp(join(tmpdir(), 'svc-cc-'))
    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'snp-report.pem'), roots.document['snp-report'].join(''))
    await writeFile(join(path, 'nras.json'), JSON.stringify(roots.document.nras))
    await writeFile(join(path, 'revoked.txt'), '# none yet\n')
  })
  after(async () => {
    await Promise.all([folder, path].map(async (each) => await rm(each, { recursive: true })))
  })

  const api = useApi({ settings: { ccRootsPath: path }, now: () => NOW })
  const call = async (method: string, route: string, body?: unknown) => {
    const { key } = await givenApiTenant(api)
    return await api.call(method, route, { key, body })
  }

  it('lists the kinds, which of them are verified here, and their fields', async () => {
    const { body } = await call('GET', '/v1/cc/kinds')
    expect(body.kinds).to.deep.equal(['pccs', 'snp-report', 'nitro-attestation', 'nras'])
    expect(body.verifiable).to.deep.equal(['snp-report', 'nras'])
    const { shape } = (await call('GET', '/v1/cc/shape/pccs')).body
    expect(shape.required).to.include('mr_td')
    expect(shape.types.mr_td).to.equal('hex96')
    expect((await call('GET', '/v1/cc/shape/tea-leaves')).status).to.equal(404)
  })

  it('verifies bytes under the pinned roots', async () => {
    const report = {
      raw: givenSnpReport(roots.snp.vcek).toString('base64'),
      certificates: [pemOf(roots.snp.vcek), pemOf(roots.snp.ask)],
    }
    const opts = { nonce: NONCE.toUpperCase(), measurement: MEASUREMENT }
    const { status, body } = await call('POST', '/v1/cc/verify', { kind: 'snp-report', report, opts })
    expect(status).to.equal(200)
    expect(body).to.include({ verified: true, state: 'cryptographically_verified', verifier: 'amd-sev-snp' })
    expect(body.timestamp).to.equal(NOW.toISOString())
  })

  it('names what is missing, and refuses a body without kind or report', async () => {
    const { body } = await call('POST', '/v1/cc/verify', { kind: 'snp-report', report: { version: 2 }, opts: {} })
    expect(body).to.include({ verified: false, state: 'rejected', reason: 'missing_fields' })
    expect(body.missing).to.include('measurement')
    expect((await call('POST', '/v1/cc/verify', { report: {} })).status).to.equal(400)
    expect((await call('POST', '/v1/cc/verify', { kind: 'nras' })).status).to.equal(400)
    const short = { kind: 'nras', report: {}, opts: { nonce: 'ab' } }
    expect((await call('POST', '/v1/cc/verify', short)).body.details.fields[0].field).to.equal('opts.nonce')
  })

  it('are not verified under roots that are malformed: the service does not start with them', async () => {
    const refusal = async (text: string) => {
      const file = join(folder, 'roots.json')
      await writeFile(file, text)
      return await readCcRoots(file).then(
        () => 'read',
        (error: unknown) => String(error),
      )
    }
    expect(await refusal('{')).to.match(/SVC_CC_ROOTS: .*roots\.json/)
    expect(await refusal(JSON.stringify({ 'snp-report': [pemOf(roots.snp.ask)] }))).to.match(/no self-signed root/)
    expect(await refusal(JSON.stringify({ sgx: [] }))).to.match(/sgx/)
    expect(await refusal(JSON.stringify(roots.document))).to.equal('read')
    await rm(join(folder, 'roots.json'))
    expect(await readCcRoots(folder).catch(String)).to.match(/the folder has none of snp-report\.pem/)
  })
})
