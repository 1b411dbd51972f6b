import { chmod, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fork } from 'node:child_process'
import { expect } from 'chai'
import pg from 'pg'
import { endProcess, identifySelf, isAlive, listProcesses } from '../../stack/process/process-identity.ts'
import { startStack, type Stack, type StackOptions } from '../../stack/stack.ts'
import { StackError } from '../../stack/stack-error.ts'
import { askTemporal } from '../../stack/temporal/server.ts'
import { testStack } from '../support/stack/stack.ts'

const KILL = [{ signal: 'SIGKILL', waitMs: 5000 }] as const

describe('stack', () => {
  let folder: string
  const notes: string[] = []
  const open: Stack[] = []

  const start = async (name: string, more: Partial<StackOptions> = {}) => {
    const stack = await startStack({
      dataDir: join(folder, name),
      searchPath: process.env['PATH'] ?? '',
      isDurable: false,
      log: (line) => notes.push(line),
      ...more,
    })
    open.push(stack)
    return stack
  }

  /** For tests of Postgres alone. */
  const temporalOfRun = async () => ({ given: { temporalAddress: (await testStack()).temporalAddress } })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-stack-test-'))
    await chmod(folder, 0o711)
  })
  afterEach(async () => {
    for (const stack of open.splice(0)) await stack.stop()
    notes.length = 0
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('starts, is found by a second start, and is stopped only by its owner', async () => {
    const first = await start('one')
    expect(first.origins).to.deep.equal({ postgres: 'started', temporal: 'started' })
    expect(await query(first, 'select 1 as answer')).to.deep.equal([{ answer: 1 }])
    expect(await askTemporal(first.temporalAddress, 'default')).to.equal(undefined)
    expect((await fetch(first.temporalUiUrl ?? '')).status).to.equal(200)

    const neighbour = await startNeighbour(join(folder, 'one'))
    expect(neighbour.origins).to.deep.equal({ postgres: 'found', temporal: 'found' })
    expect(neighbour.databaseUrl).to.equal(first.databaseUrl)
    await neighbour.end()
    expect(await query(first, 'select 1 as answer')).to.deep.equal([{ answer: 1 }])

    await first.stop()
    for (const identity of Object.values(first.processes)) expect(await isAlive(identity)).to.equal(false)
    expect((await listProcesses()).filter(({ command }) => command.includes(join(folder, 'one')))).to.deep.equal([])
  })

  it('keeps values of statements that fail out of the log of Postgres', async () => {
    const stack = await start('one', await temporalOfRun())
    await query(stack, 'create table person (email text primary key)')
    const insert = "insert into person values ('ada@example.org')"
    await query(stack, insert)
    expect(String(await query(stack, insert).catch((error: unknown) => error))).to.include('duplicate key')
    const log = await readFile(join(folder, 'one', 'postgres', 'postgres.log'), 'utf8')
    expect(log).to.include('duplicate key').and.not.include('ada@example.org')
  })

  it('keeps its ports, its data and its master key over a restart, private ones private', async () => {
    const first = await start('two')
    expect(notes.join()).to.include('made a master key')
    await query(first, 'create table kept (note text)')
    await first.stop()
    const second = await start('two')
    expect(second.databaseUrl).to.equal(first.databaseUrl)
    expect(second.temporalAddress).to.equal(first.temporalAddress)
    expect(second.masterKey.equals(first.masterKey)).to.equal(true)
    expect(await query(second, 'select * from kept')).to.deep.equal([])
    for (const file of ['master.key', 'stack.json', 'postgres/password']) {
      expect((await stat(join(folder, 'two', file))).mode & 0o077, file).to.equal(0)
    }
  })

  it('takes over what a killed process left running, and stops it in the end', async () => {
    const neighbour = await startNeighbour(join(folder, 'two'))
    await neighbour.kill()
    const mine = await start('two')
    expect(mine.origins).to.deep.equal({ postgres: 'taken-over', temporal: 'taken-over' })
    expect(mine.databaseUrl).to.equal(neighbour.databaseUrl)
    await mine.stop()
    for (const identity of Object.values(mine.processes)) expect(await isAlive(identity)).to.equal(false)
  })

  it('recovers the data after kill -9 of Postgres, busy backends included', async () => {
    const stack = await start('one', await temporalOfRun())
    await query(stack, 'create table ledger (n int)')
    await query(stack, 'insert into ledger select generate_series(1, 1000)')
    const busy = new pg.Client({ connectionString: stack.databaseUrl })
    busy.on('error', () => undefined)
    await busy.connect()
    const lost = busy.query('select pg_sleep(600)').catch((error: unknown) => error)
    await endProcess(known(stack.processes.postgres), KILL)
    expect(await stack.restartDead()).to.deep.equal(['postgres'])
    expect(await query(stack, 'select count(*)::int as n from ledger')).to.deep.equal([{ n: 1000 }])
    await lost
    await busy.end().catch(() => undefined)
    expect(await stack.restartDead()).to.deep.equal([])
  })

  it('recovers after kill -9 of everything at once, with its lock files still there', async () => {
    const neighbour = await startNeighbour(join(folder, 'two'))
    for (const identity of Object.values(neighbour.processes)) await endProcess(identity, KILL)
    await neighbour.kill()
    expect(await readFile(join(folder, 'two', 'postgres', 'cluster', 'postmaster.pid'), 'utf8')).not.to.equal('')
    const stack = await start('two')
    expect(stack.origins).to.deep.equal({ postgres: 'started', temporal: 'started' })
    expect(stack.temporalAddress).to.equal(neighbour.temporalAddress)
    expect(await askTemporal(stack.temporalAddress, 'default')).to.equal(undefined)
  })

  it('runs beside the stack of another checkout, and gives way when a port was taken meanwhile', async () => {
    const one = await start('one')
    const other = await start('two')
    const ports = [one, other].flatMap(({ databaseUrl, temporalAddress, temporalUiUrl }) => [
      new URL(databaseUrl).port,
      new URL(`http://${temporalAddress}`).port,
      new URL(temporalUiUrl ?? '').port,
    ])
    expect(new Set(ports).size).to.equal(6)

    const port = Number(new URL(other.databaseUrl).port)
    await other.stop()
    const intruder = createServer().listen(port, '127.0.0.1')
    try {
      const again = await start('two', await temporalOfRun())
      expect(Number(new URL(again.databaseUrl).port)).not.to.equal(port)
      expect(await query(again, 'select 1 as answer')).to.deep.equal([{ answer: 1 }])
    } finally {
      intruder.close()
    }
  })

  it('keeps data where the Postgres user can enter when the checkout is closed to him, and says so', async function () {
    if (process.getuid?.() !== 0) this.skip()
    const closed = join(folder, 'closed')
    await mkdir(closed, { mode: 0o700 })
    const stack = await start('closed/.svc', await temporalOfRun())
    const aside = /kept in (.+)$/.exec(notes.find((note) => note.includes('cannot enter')) ?? '')?.[1] ?? ''
    expect(aside).to.match(/svc-closed-[0-9a-f]+$/)
    try {
      await query(stack, 'create table kept (note text)')
      await stack.stop()
      expect(await query(await start('closed/.svc', await temporalOfRun()), 'select * from kept')).to.deep.equal([])
    } finally {
      for (const each of open) await each.stop()
      await rm(aside, { recursive: true, force: true })
    }
  })

  it('starts nothing in place of what is given, and says which given address does not answer', async () => {
    const { databaseUrl, temporalAddress, masterKey } = await testStack()
    const guest = await start('nine', { given: { databaseUrl, temporalAddress, masterKey } })
    expect(guest.origins).to.deep.equal({ postgres: 'given', temporal: 'given' })
    await guest.stop()
    expect(await query({ databaseUrl }, 'select 1 as answer')).to.deep.equal([{ answer: 1 }])

    const missing = databaseUrl.replace(/\/svc$/, '/absent')
    const failure = await start('nine', { given: { databaseUrl: missing, temporalAddress } }).catch(
      (error: unknown) => error,
    )
    expect(failure).to.be.instanceOf(StackError).with.property('code', 'not_reachable')
    expect(String(failure)).to.include('DATABASE_URL').and.not.include(new URL(missing).password)
  })

  it('names all four ways when there is no Temporal, and leaves no half of a stack', async () => {
    const failure = await start('ten', {
      searchPath: folder,
      cacheDir: join(folder, 'no-cache'),
      canFetch: false,
    }).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(StackError).with.property('code', 'no_temporal')
    for (const way of ['PATH', 'cache', 'download', 'go install', 'TEMPORAL_ADDRESS']) {
      expect(String(failure)).to.include(way)
    }
    expect((await listProcesses()).filter(({ command }) => command.includes(join(folder, 'ten')))).to.deep.equal([])
  })

  /** A stack that another process owns. */
  async function startNeighbour(dataDir: string) {
    const child = fork(new URL('../support/stack/stack-owner.ts', import.meta.url), [dataDir])
    const message = await new Promise<Pick<Stack, 'origins' | 'databaseUrl' | 'temporalAddress' | 'processes'>>(
      (resolve, reject) => {
        child.once('message', (told: string) => resolve(JSON.parse(told)))
        child.once('exit', () => reject(new Error('the neighbour ended')))
      },
    )
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    const finish = async (act: () => void) => {
      act()
      await ended
    }
    return { ...message, end: () => finish(() => child.send('stop')), kill: () => finish(() => child.kill('SIGKILL')) }
  }

  async function query(stack: Pick<Stack, 'databaseUrl'>, sql: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: stack.databaseUrl })
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }

  function known<T>(value: T | undefined): T {
    if (value === undefined) throw new Error('absent')
    return value
  }
})

describe('process identity', () => {
  it('tells a process from an earlier one of the same number', async () => {
    const self = await identifySelf()
    expect(await isAlive(self)).to.equal(true)
    expect(await isAlive({ ...self, startedAt: 'another start' })).to.equal(false)
  })
})
