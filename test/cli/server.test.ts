import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { bringUp, type Installation, type InstallationOptions } from '../../stack/bring-up.ts'
import { identifyProcess } from '../../stack/process/process-identity.ts'
import { findServices } from '../../stack/supervisor/record.ts'
import { AlreadyRunningError } from '../../stack/supervisor/services.ts'
import { openCuttingProxy, type CuttingProxy } from '../support/stack/cutting-proxy.ts'
import { runCli, runCliProcess, type CliRun } from '../support/cli/run-cli.ts'
import { eventually } from '../support/wire/eventually.ts'
import { newDatabase, testStack } from '../support/stack/stack.ts'
import { stopwatch } from '../support/stack/processor-ms.ts'
import { giveBundle } from '../support/workflows/bundle.ts'

const ROWS = [
  ['ada lovelace', 'Lovelace, Ada'],
  ['alan turing', 'Turing, Alan'],
  ['grace hopper', 'Hopper, Grace'],
  ['edsger dijkstra', 'Dijkstra, Edsger'],
  ['barbara liskov', 'Liskov, Barbara'],
  ['donald knuth', 'Knuth, Donald'],
  ['john backus', 'Backus, John'],
  ['frances allen', 'Allen, Frances'],
] as const
const COMPILE_NAMES = ['compile', 'names.jsonl', '-t', 'Write the last name first.', '--floor', '0.5'] as const

describe('svc with a server', () => {
  let folder: string
  let installation: Installation
  let proxy: CuttingProxy
  let options: InstallationOptions

  const svc = async (
    args: readonly string[],
    more: { stdin?: string; env?: NodeJS.ProcessEnv; profile?: string } = {},
  ) =>
    await runCli(args, {
      folder,
      profileDir: join(folder, more.profile ?? 'profile'),
      env: { SVC_URL: proxy.url, ...more.env },
      ...(more.stdin !== undefined && { stdin: more.stdin }),
    })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-test-'))
    await chmod(folder, 0o711)
    const { temporalAddress, masterKey } = await testStack()
    options = {
      dataDir: join(folder, '.svc'),
      given: { databaseUrl: await newDatabase(), temporalAddress, masterKey },
      searchPath: process.env['PATH'] ?? '',
      projectDir: fileURLToPath(new URL('../..', import.meta.url)),
      host: '127.0.0.1',
      port: 0,
      isPortGiven: false,
      // A namespace of its own: the workers of other tests must not take this one's jobs.
      env: {
        ...process.env,
        TEMPORAL_NAMESPACE: `cli-${randomBytes(4).toString('hex')}`,
        SVC_LOG_LEVEL: 'warn',
        // Each trial of the sandbox takes two seconds of a core.
        SVC_CODE_SANDBOX: 'off',
      },
      log: () => undefined,
      onLine: () => undefined,
    }
    await giveBundle(options.dataDir)
    installation = await bringUp(options)
    proxy = await openCuttingProxy(installation.services.apiUrl)
    await writeFile(
      join(folder, 'names.jsonl'),
      ROWS.map(([input, output]) => `${JSON.stringify({ input, output })}\n`).join(''),
    )
    const { code, stderr } = await svc(['signup', '--email', 'first@example.org', '--name', 'First'])
    expect(code, stderr).to.equal(0)
  })
  after(async () => {
    await proxy?.close()
    await installation?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('keeps key and pins where only the owner can read them', async () => {
    const path = join(folder, 'profile', 'svc', 'config.json')
    expect((await stat(path)).mode & 0o077).to.equal(0)
    const profile = JSON.parse(await readFile(path, 'utf8'))
    expect(profile.api_key).to.match(/^ks_/)
    expect(profile.pinned_keys).to.have.length(1)
    const again = await svc(['login', '--json'], { profile: 'second', stdin: `${profile.api_key}\n` })
    expect(again.code, again.stderr).to.equal(0)
    expect(JSON.parse(again.stdout))
      .to.have.nested.property('tenant.name')
      .that.matches(/^first/i)
  })

  it('leads without an account from a file to a signed archive and the answers of 1,000 rows', async () => {
    let commands = 0
    const elapsedMs = stopwatch()
    const step = async (...args: string[]): Promise<CliRun> => {
      commands += 1
      const run = await svc(args, { profile: 'guest' })
      expect(run.code, run.stderr).to.equal(0)
      return run
    }
    const csv = (rows: readonly (readonly string[])[]) => rows.map((cells) => `"${cells.join('","')}"\n`).join('')
    const people = Array.from({ length: 1000 }, (_, at) => `${ROWS[at % 8]?.[0]} ${at}`)
    await writeFile(join(folder, 'taught.csv'), csv([['Name', 'Index'], ...ROWS]))
    await writeFile(join(folder, 'people.csv'), csv([['Name'], ...people.map((name) => [name.replace(/ \d+$/, '')])]))
    const preview = await step('compile', 'taught.csv', '--preview')
    expect(preview.stderr).not.to.contain('workspace')
    const compiled = await step('compile', 'taught.csv', '--task', 'Family name first', '--out', 'guest.svc')
    expect(compiled.stderr).to.match(/opened an anonymous workspace with 5000 units a month, kept until 20\d\d-/)
    const id = /cmp_\w+/.exec(compiled.stderr)?.[0] ?? ''
    await step('verify', 'guest.svc')
    await step('run', id, '--csv', 'people.csv', '--out', 'answers.csv')
    await step('receipt', 'answers.csv')
    expect((await step('run', id, '--csv', 'taught.csv', '--out', 'own.csv')).stdout).to.contain(' 0 errors')
    const { stdout: usage } = await svc(['usage'], { profile: 'guest' })
    expect(usage).to.match(/^plan +anonymous workspace.*\nunits +[\d,]+ of 5,000 used/m)
    const [, ...answers] = (await readFile(join(folder, 'answers.csv'), 'utf8')).trimEnd().split('\r\n')
    expect(answers).to.have.length(1000)
    expect(answers.filter((line, at) => !line.includes(`"${ROWS[at % 8]?.[1]}"`))).to.deep.equal([])
    if (process.env['SVC_MEASURE'] !== undefined) console.log({ commands, ms: elapsedMs() })
    expect(elapsedMs()).to.be.lessThan(60_000)
    // Signing up keeps the work.
    const kept = await step('signup', '--email', 'guest@example.org')
    expect(kept.stdout)
      .to.match(/key {4}ks_\w+/)
      .and.contain('its token has ended')
    expect((await step('jobs')).stdout).to.contain(id)
    expect(commands).to.be.at.most(12)
    const again = await svc(['signup', '--email', 'guest@example.org'], { profile: 'guest' })
    expect([again.code, again.stderr.includes('key_exists')], again.stderr).to.deep.equal([2, true])
  })

  it('makes one job over lost connections, watches it, and runs what it made here as there', async () => {
    proxy.cutAnswerTo('POST /v1/compile HTTP')
    proxy.cutAnswerTo('GET /v1/compile/stream/')
    const compiled = await svc([...COMPILE_NAMES, '-o', 'names.svc', '--json'])
    expect(compiled.code, compiled.stderr).to.equal(0)
    expect(proxy.cuts).to.equal(2)
    const job = JSON.parse(compiled.stdout)
    const jobs = JSON.parse((await svc(['jobs', '--json'])).stdout)
    expect(jobs.jobs.map(({ id }: { id: string }) => id)).to.deep.equal([job.id])
    const [list, usage, cancelled] = await Promise.all([
      svc(['jobs']),
      svc(['usage']),
      svc(['cancel', job.id], { env: { SVC_URL: installation.services.apiUrl } }),
    ])
    expect(list.stdout).to.match(/ready .* KiB .* Write the last name first\.$/m)
    expect(usage.stdout, usage.stderr).to.match(/^units +\d+ of [\d,]+ used, [\d,]+ left$/m)
    expect([cancelled.code, cancelled.stderr.includes('409')], cancelled.stderr).to.deep.equal([1, false])

    const input = 'margaret hamilton'
    const [verified, offline, online, lines, inspected, byVersion, byConcept, watched, watchedJson, downloaded] =
      await Promise.all([
        svc(['verify', 'names.svc']),
        svc(['run', 'names.svc', input]),
        svc(['run', job.version_id, input]),
        svc(['run', job.concept_id, '--lines'], { stdin: `${input}\nken thompson\n` }),
        svc(['inspect', job.id]),
        svc(['inspect', job.version_id]),
        svc(['inspect', job.concept_id]),
        svc(['watch', job.id]),
        svc(['watch', job.id, '--json']),
        svc(['download', job.id, '-o', 'again.svc']),
      ])
    expect(verified.code, verified.stdout).to.equal(0)
    expect(offline.stdout).to.equal('Hamilton, Margaret\n')
    expect(online.stdout, online.stderr).to.equal(offline.stdout)
    expect(lines.stdout).to.equal('Hamilton, Margaret\nThompson, Ken\n')
    expect(inspected.stdout).to.include(job.cid)
    expect([byVersion.stdout, byConcept.stdout], byVersion.stderr).to.deep.equal([inspected.stdout, inspected.stdout])
    expect(watched.code).to.equal(0)
    expect(watched.stderr).to.match(/^Signing +done$/m)
    expect(stripVTControlCharacters(watched.stderr + watched.stdout)).to.equal(watched.stderr + watched.stdout)
    expect(watched.stdout)
      .to.match(/^size +[\d.]+ KiB$/m)
      .and.not.match(/^failing/m)
    const events = watchedJson.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.map(({ event }) => event)).to.include.members(['hello', 'step.end', 'done', 'job'])
    expect(events.at(-1).job).to.include({ id: job.id, status: 'completed', cid: job.cid })
    expect(watchedJson.stderr).to.equal('')
    expect(downloaded.code, downloaded.stderr).to.equal(0)
    await writeFile(join(folder, 'two.csv'), `Name\n${input}\nsuite 12 34\n`)
    const batch = await svc(['run', job.concept_id, '--csv', 'two.csv', '--out', 'two.out.csv'])
    expect(batch.stdout, batch.stderr).to.contain(': 2 answered, 0 abstained, 1 unlike the examples, 0 errors, 2 units')
    expect(await readFile(join(folder, 'two.out.csv'), 'utf8')).to.match(
      /,false,,false,,,\r\nsuite 12 34,2,.*,false,,true,/,
    )
    expect(await readFile(join(folder, 'again.svc'))).to.deep.equal(await readFile(join(folder, 'names.svc')))
  })

  it('takes digits for a text or for a number, as the recipe on the server does', async () => {
    const halve = [8, 10, 24, 36, 48, 50, 62, 74].map((input) => ({ input, output: input / 2 }))
    await writeFile(join(folder, 'halve.json'), JSON.stringify({ task: 'Halve the number.', examples: halve }))
    const compiled = await svc(['compile', 'halve.json', '--floor', '0.5', '--json'])
    expect(compiled.code, compiled.stderr).to.equal(0)
    const { version_id: version } = JSON.parse(compiled.stdout)
    const [one, lines, text] = await Promise.all([
      svc(['run', version, '90210']),
      svc(['run', version, '--lines'], { stdin: '4\n6\n' }),
      svc(['run', version, '90210', '--text']),
    ])
    expect(one.stdout, one.stderr).to.equal('45105\n')
    expect(lines.stdout, lines.stderr).to.equal('2\n3\n')
    expect(text.code).to.equal(1)
    expect(text.stderr).to.include('--json-input')
  })

  it('ends a gated compile with 4, and says which input or key was refused', async () => {
    const random = Array.from({ length: 6 }, (_, i) => ({
      ...(i === 0 && { id: 'first' }),
      input: randomBytes(9).toString('hex'),
      output: randomBytes(9).toString('base64'),
    }))
    await writeFile(join(folder, 'noise.json'), JSON.stringify({ task: 'Guess.', examples: random }))
    const [gated, untasked, contradictory, refused, absent] = await Promise.all([
      svc(['compile', 'noise.json']),
      svc(['compile', 'names.jsonl']),
      svc(['--json', 'compile', '-', '-t', 'x'], { stdin: '{"input":"a","output":"b"}\n{"input":"a","output":"c"}\n' }),
      svc(['jobs'], { env: { SVC_API_KEY: `ks_${'0'.repeat(20)}` } }),
      svc(['run', 'ver_00000000000000000000000000', 'x']),
    ])
    expect(gated.code, gated.stderr + gated.stdout).to.equal(4)
    expect(gated.stdout).to.include('gated')
    expect(gated.stdout)
      .to.match(/^wrong +\d of 6 held-out rows are wrong/m)
      .and.match(/^first +/m)
    expect(gated.stdout).to.include('No artifact was signed').and.include('svc compile --from')
    expect(untasked.code).to.equal(2)
    expect(contradictory.code).to.equal(2)
    expect(JSON.parse(contradictory.stderr.trim().split('\n').at(-1) ?? '')).to.include({
      code: 'contradictory_examples',
    })
    expect(refused.code).to.equal(6)
    expect(absent.code).to.equal(1)
    expect(absent.stderr).to.include('not_found')
  })

  it('says that nothing answers, with 5', async () => {
    for (const args of [['signup', '--email', 'a@example.org'], ['plans']]) {
      const { code, stderr } = await svc(args, { profile: 'absent', env: { SVC_URL: 'http://127.0.0.1:9' } })
      expect(code).to.equal(5)
      expect(stderr).to.include('npm start')
    }
  })

  it('ends at once when a part of the service does not start, and says why', async () => {
    const { given = {} } = options
    const { code, stderr } = await runCliProcess(['up'], {
      folder,
      profileDir: join(folder, 'profile'),
      env: {
        DATABASE_URL: given.databaseUrl,
        TEMPORAL_ADDRESS: given.temporalAddress,
        SVC_MASTER_KEY: given.masterKey?.toString('hex'),
        SVC_DATA_DIR: join(folder, 'failing'),
        SVC_TEMPORAL_CONFIG: join(folder, 'names.jsonl'),
      },
    })
    expect(code).to.equal(1)
    expect(stderr).to.include('ends whenever it starts').and.include('names.jsonl is not valid')
    expect(await findServices(join(folder, 'failing'))).to.equal(undefined)
  })

  it('starts a killed API and a killed worker again, and is not started twice', async () => {
    const second = await bringUp(options).catch((error: unknown) => error)
    expect(second).to.be.instanceOf(AlreadyRunningError)
    const before = await findServices(options.dataDir)
    const pidsOf = (services: typeof before) => ['api', 'worker'].map((name) => services?.processes[name]?.pid ?? 0)
    for (const pid of pidsOf(before)) process.kill(pid, 'SIGKILL')
    let again: typeof before
    await eventually(async () => {
      again = await findServices(options.dataDir)
      expect(pidsOf(again)).to.not.include.oneOf([0, ...pidsOf(before)])
      expect((await fetch(`${installation.services.apiUrl}/ready`)).status).to.equal(200)
    })
    const compiled = await svc(COMPILE_NAMES)
    expect(compiled.code, compiled.stderr).to.equal(0)
    const [api, worker] = pidsOf(again).map(getPriority)
    expect(worker).to.be.above(api ?? 0)
  })

  it('drains and leaves no process behind', async () => {
    const running = await findServices(options.dataDir)
    await installation.stop()
    for (const { pid } of Object.values(running?.processes ?? {}))
      expect(await identifyProcess(pid)).to.equal(undefined)
    expect(await findServices(options.dataDir)).to.equal(undefined)
  })
})
