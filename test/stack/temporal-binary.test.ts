import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { findTemporalBinary, TEMPORAL_CLI_VERSION } from '../../stack/temporal/binary.ts'
import { downloadTemporal } from '../../stack/temporal/download.ts'

describe('Temporal CLI', () => {
  let folder: string
  let server: Server
  let archive: Buffer

  const release = () => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/temporal.tar.gz`,
    sha256: createHash('sha256').update(archive).digest('hex'),
  })

  /** A program that answers as the CLI with this server inside would. */
  const writeCli = async (path: string, serverVersion: string) => {
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, `#!/bin/sh\necho "temporal version 1.5.1 (Server ${serverVersion}, UI 2.42.1)"\n`)
    await chmod(path, 0o755)
    return path
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-binary-'))
    await writeCli(join(folder, 'release', 'temporal'), '1.29.1')
    execFileSync('tar', ['-czf', join(folder, 'temporal.tar.gz'), '-C', join(folder, 'release'), 'temporal'])
    archive = await readFile(join(folder, 'temporal.tar.gz'))
    server = createServer((request, response) => {
      response.writeHead(request.url === '/temporal.tar.gz' ? 200 : 404).end(archive)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    server.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('is taken from the PATH first, then from the cache; one that is too old or broken is passed over', async () => {
    const cacheDir = join(folder, 'cache')
    const cached = await writeCli(join(cacheDir, `temporal-v${TEMPORAL_CLI_VERSION}`, 'temporal'), '1.29.1')
    const old = await writeCli(join(folder, 'old', 'temporal'), '1.20.0')
    const fresh = await writeCli(join(folder, 'fresh', 'temporal'), '1.30.0')
    await writeFile(join(folder, 'release', '..', 'temporal'), 'no program')
    await chmod(join(folder, 'temporal'), 0o755)
    const find = async (searchPath: string) =>
      await findTemporalBinary({ searchPath, cacheDir, canFetch: false, log: () => undefined })
    expect(await find(`${folder}:${join(old, '..')}:${join(fresh, '..')}`)).to.equal(fresh)
    expect(await find(`${folder}:${join(old, '..')}`)).to.equal(cached)
  })

  it('is downloaded, and put in place only when it is the published one', async () => {
    const target = join(folder, 'download', 'temporal')
    const changed = { ...release(), sha256: '0'.repeat(64) }
    const refused = await downloadTemporal('1.5.1', target, () => undefined, changed).catch((error: unknown) => error)
    expect(String(refused)).to.include('not the published one')
    expect(await readdir(folder)).not.to.include('download')
    const absent = { ...release(), url: release().url.replace('temporal.tar', 'absent.tar') }
    expect(String(await downloadTemporal('1.5.1', target, () => undefined, absent).catch(String))).to.include('404')

    await downloadTemporal('1.5.1', target, () => undefined, release())
    expect(execFileSync(target, { encoding: 'utf8' })).to.include('Server 1.29.1')
    expect((await readdir(folder)).filter((name) => name.startsWith('download.'))).to.deep.equal([])
  })
})
