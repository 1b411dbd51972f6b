import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

const run = promisify(execFile)

/** The command that runs a snippet: its file, the program and its arguments. Ruby is not run: its interpreter is seldom there. */
const RUNS = {
  curl: ['capture.sh', 'bash', []],
  javascript: ['capture.mjs', process.execPath, []],
  typescript: ['capture.mts', process.execPath, []],
  python: ['capture.py', 'python3', []],
  go: ['capture.go', 'go', ['run']],
  java: ['Capture.java', 'java', []],
} as const

describe('snippets that store a capture', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  let tenant: ApiTenant
  let folder = ''
  before(async () => {
    tenant = await givenApiTenant(api)
    folder = await mkdtemp(join(tmpdir(), 'svc-snippets-'))
  })
  after(async () => await rm(folder, { recursive: true, force: true }))

  it('run as they are given, each in its language', async function () {
    // The first program in Go compiles the HTTP library of its language.
    this.timeout(240_000)
    const ran = await Promise.all(
      Object.entries(RUNS).map(async ([lang, [file, program, args]]): Promise<string> => {
        const isThere = await run(program, [program === 'go' ? 'version' : '--version']).then(
          () => true,
          () => false,
        )
        if (!isThere) return ''
        const { body } = await api.call('GET', `/v1/capture/snippet?lang=${lang}&namespace=in-${lang}`, {
          key: tenant.key,
        })
        expect(body.has_key, lang).to.equal(true)
        await writeFile(join(folder, file), body.snippet)
        const { stdout } = await run(program, [...args, join(folder, file)], { cwd: folder })
        expect(stdout, lang).to.contain('cap_')
        return lang
      }),
    )
    expect(ran).to.include.members(['curl', 'javascript', 'typescript', 'python'])
    const listed = await api.call('GET', '/v1/captures/list', { key: tenant.key })
    const namespaces = listed.body.captures.map(({ namespace }: { namespace: string }) => namespace)
    expect(namespaces.toSorted()).to.deep.equal(
      ran
        .filter((lang) => lang !== '')
        .map((lang) => `in-${lang}`)
        .toSorted(),
    )
  })

  it('hold a placeholder for a caller without a key', async () => {
    const { body } = await api.call('GET', '/v1/capture/snippet?lang=ruby')
    expect(body).to.include({ has_key: false })
    expect(body.snippet).to.contain('ks_YOUR_KEY')
  })
})
