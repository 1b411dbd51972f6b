import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { z } from 'zod'
import { startStack, type Stack } from '../../../stack/stack.ts'
import { testStack } from '../../support/stack/stack.ts'
import { onServer } from '../../support/stack/template.ts'

const MAIN = fileURLToPath(new URL('../../../api/main.ts', import.meta.url))
/** The two statements, as an administrator copies them. */
const STATEMENTS = ['create role svc_tenant nologin;', 'grant svc_tenant to plain;'] as const
const Ready = z.object({ url: z.string() })

describe('a login that may not create roles', function () {
  this.timeout(180_000)
  let folder = ''
  let stack: Stack | undefined
  let admin = ''
  let api: ChildProcess | undefined
  let env: Readonly<Record<string, string>> = {}

  // A Postgres of its own: all databases of a server share the role.
  before(async () => {
    const { temporalAddress } = await testStack()
    folder = await mkdtemp(join(tmpdir(), 'svc-login-'))
    stack = await startStack({
      dataDir: folder,
      given: { temporalAddress },
      searchPath: process.env['PATH'] ?? '',
      isDurable: false,
      log: () => undefined,
    })
    admin = stack.databaseUrl
    await onServer(admin, (client) =>
      client.query("create role plain login nosuperuser nocreaterole nocreatedb password 'plain'"),
    )
    await onServer(admin, (client) => client.query('create database plain owner plain'))
    const url = new URL(admin)
    url.username = url.password = url.pathname = 'plain'
    env = {
      DATABASE_URL: url.href,
      TEMPORAL_ADDRESS: temporalAddress,
      SVC_MASTER_KEY: stack.masterKey.toString('hex'),
      SVC_DATA_DIR: folder,
      SVC_PORT: '0',
      SVC_LOG_LEVEL: 'error',
    }
  })
  after(async () => {
    api?.kill('SIGKILL')
    await stack?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('is shown the statements for an administrator, and starts after these', async () => {
    const started = spawn(process.execPath, [MAIN], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    api = started
    if (started.stderr === null) throw new Error('the API prints nowhere')
    const ended = once(started, 'exit')
    const ready = once(started, 'message')
    const lines = createInterface(started.stderr)[Symbol.asyncIterator]()
    const nextLine = async (): Promise<unknown> => (await lines.next()).value
    try {
      expect(await nextLine()).to.contain('The database login plain may not create or use the role svc_tenant')
      expect([await nextLine(), await nextLine()]).to.deep.equal(STATEMENTS.map((statement) => `  ${statement}`))
      await onServer(admin, (client) => client.query(STATEMENTS[0]))
      expect(await nextLine()).to.contain('Start goes on after an administrator has run')
      expect(await nextLine()).to.equal(`  ${STATEMENTS[1]}`)
      await onServer(admin, (client) => client.query(STATEMENTS[1]))
      const [message]: unknown[] = await ready
      const { url } = Ready.parse(message)
      const signUp = await fetch(`${url}/v1/signup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Plain', email: 'plain@example.test', plan: 'free' }),
      })
      const tenant = z.object({ api_key: z.string() }).parse(await signUp.json())
      const account = await fetch(`${url}/v1/account`, { headers: { 'x-api-key': tenant.api_key } })
      expect(account.status).to.equal(200)
    } finally {
      started.kill('SIGTERM')
      await ended
    }
  })
})
