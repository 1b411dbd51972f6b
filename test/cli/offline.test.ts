import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/wire/eventually.ts'
import { sealFixture } from '../support/archives/archives.ts'
import { runCli, runCliProcess } from '../support/cli/run-cli.ts'

describe('svc without a server', () => {
  let folder: string
  let file: string

  const svc = async (
    args: readonly string[],
    more: { stdin?: string; profileDir?: string; env?: NodeJS.ProcessEnv } = {},
  ) => await runCli(args, { folder, profileDir: join(folder, 'no-profile'), ...more })

  const ownProcess = async (args: readonly string[], { env }: { env: NodeJS.ProcessEnv }) =>
    await runCliProcess(args, { folder, profileDir: join(folder, 'no-profile'), env })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-test-'))
    file = join(folder, 'upper.svc')
    await writeFile(file, (await sealFixture()).archive)
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  it('says what it can do and with which exit codes', async () => {
    const { code, stdout } = await svc(['--help'])
    expect(code).to.equal(0)
    for (const command of [
      'up',
      'signup',
      'login',
      'compile',
      'jobs',
      'watch',
      'run',
      'inspect',
      'verify',
      'download',
    ]) {
      expect(stdout).to.match(new RegExp(`^  ${command}\\b`, 'm'))
    }
    expect(stdout).to.include('Exit codes').and.include('not pinned')
  })

  it('reports wrong usage as JSON where JSON was asked for', async () => {
    const cases: [string[], string][] = [
      [['bogus', '--json'], 'unknown command'],
      [['--json', 'verify'], 'missing required argument'],
      [['--json', 'holdout'], 'a command is missing'],
    ]
    await Promise.all(
      cases.map(async ([args, expected]) => {
        const { code, stdout, stderr } = await svc(args)
        expect([code, stdout, JSON.parse(stderr).code], stderr).to.deep.equal([2, '', 'usage'])
        expect(JSON.parse(stderr).error).to.include(expected)
      }),
    )
    expect((await svc(['verify', '--help', '--json'])).code).to.equal(0)
  })

  it('ends wrong usage with 2 and says what is wrong', async () => {
    const cases: [string[], string][] = [
      [['bogus'], 'unknown command'],
      [['verify'], 'missing required argument'],
      [['compile', '--floor', '2'], 'from 0 to 1'],
      [['compile', '--tolerance', 'minutes='], 'a number, a percentage or both'],
      [['compile', '--tolerance', '100%'], 'a number, a percentage or both'],
      [['compile', '--tolerance', '5', '--tolerance', '7'], 'each member once'],
      [['compile', '--format', 'xml'], 'jsonl, csv, json'],
      [['completion', 'tcsh'], 'bash, zsh, fish'],
      [['verify', 'absent.svc'], 'no such file'],
      [['plans', '--url', 'notaurl'], '--url notaurl is not an address'],
      [['run', '--text', '--json-input', 'absent.svc', '1'], 'cannot be used with'],
    ]
    await Promise.all(
      cases.map(async ([args, expected]) => {
        const { code, stderr } = await svc(args)
        expect({ args, code, stderr }).to.deep.include({ code: 2 })
        expect(stderr).to.include(expected)
      }),
    )
  })

  it('does not write over a stored key, and writes no archive where there is no folder', async () => {
    const profileDir = join(folder, 'holding')
    await mkdir(join(profileDir, 'svc'), { recursive: true })
    const path = join(profileDir, 'svc', 'config.json')
    const text = JSON.stringify({ api_key: `ks_${'0'.repeat(20)}`, pinned_keys: [] })
    await writeFile(path, text)
    const env = { SVC_URL: 'http://127.0.0.1:9' }
    const [again, download, compiled] = await Promise.all([
      svc(['signup', '--email', 'a@example.org'], { profileDir, env }),
      svc(['download', 'cmp_x', '-o', 'absent/x.svc'], { profileDir, env }),
      svc(['compile', '-', '-t', 'x', '-o', folder], { profileDir, env, stdin: '{"input":"a","output":"b"}' }),
    ])
    expect(again.code).to.equal(2)
    expect(again.stderr).to.include('--force').and.include('key_exists')
    expect(await readFile(path, 'utf8')).to.equal(text)
    expect(download.code).to.equal(2)
    expect(download.stderr).to.include('there is no folder absent')
    expect(compiled.code).to.equal(2)
    expect(compiled.stderr).to.include('is a folder')
  })

  it('removes the key on logout, and keeps what it has pinned', async () => {
    const profileDir = join(folder, 'leaving')
    await mkdir(join(profileDir, 'svc'), { recursive: true })
    const path = join(profileDir, 'svc', 'config.json')
    const kept = { url: 'http://127.0.0.1:9', pinned_keys: [] }
    await writeFile(path, JSON.stringify({ ...kept, api_key: `ks_${'0'.repeat(20)}` }))
    const first = await svc(['logout'], { profileDir })
    const second = await svc(['logout'], { profileDir })
    expect(first.stdout, first.stderr).to.include('removed the key').and.include('svc keys revoke')
    expect(second.stdout).to.equal('no key is stored\n')
    expect(JSON.parse(await readFile(path, 'utf8'))).to.deep.equal(kept)
  })

  it('asks before it overwrites a file: without a terminal only --force does', async () => {
    await writeFile(join(folder, 'kept.svc'), 'mine')
    const env = { SVC_URL: 'http://127.0.0.1:9', SVC_API_KEY: `ks_${'0'.repeat(20)}` }
    const [asked, forced] = await Promise.all([
      svc(['download', 'cmp_x', '-o', 'kept.svc'], { env }),
      svc(['download', 'cmp_x', '-o', 'kept.svc', '--force'], { env }),
    ])
    expect(asked.code).to.equal(2)
    expect(asked.stderr).to.include('kept.svc exists: use --force')
    expect(forced.code, 'the server is asked, and does not answer').to.equal(5)
    expect(await readFile(join(folder, 'kept.svc'), 'utf8')).to.equal('mine')
  })

  it('names the page of a job', async () => {
    const { stdout } = await svc(['open', 'cmp_x', '--print'], { env: { SVC_URL: 'http://127.0.0.1:9' } })
    expect(stdout).to.equal('http://127.0.0.1:9/#/job/cmp_x\n')
  })

  it('opens the page of a job in the browser of the system, and says when there is none', async () => {
    const url = 'http://127.0.0.1:9/#/job/cmp_x'
    await mkdir(join(folder, 'bin'))
    const [opener, opened] = [join(folder, 'bin', 'xdg-open'), join(folder, 'opened')]
    await writeFile(opener, `#!/bin/sh\nprintf %s "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`, {
      mode: 0o755,
    })
    const open = async (path: string) => {
      const { stdout } = await svc(['open', 'cmp_x'], { env: { SVC_URL: 'http://127.0.0.1:9', PATH: path } })
      expect(stdout).to.equal(`${url}\n`)
    }
    await open(join(folder, 'no-bin'))
    expect(await readdir(folder)).not.to.include('opened')
    await open(`${join(folder, 'bin')}:${process.env['PATH']}`)
    await eventually(async () => expect(await readFile(opened, 'utf8')).to.equal(url))
  })

  it('refuses wrong limits before it starts anything', async () => {
    const { code, stderr } = await ownProcess(['up'], { env: { SVC_LIMITS: '{"nope":1}' } })
    expect(code).to.equal(1)
    expect(stderr).to.include('SVC_LIMITS: unknown limits: nope')
    expect(await readdir(folder)).not.to.include('.svc')
  })

  it('finds nothing wrong with a machine on which nothing was started, and asks it for no stack when the server is elsewhere', async () => {
    const [fresh, elsewhere, wrong] = await Promise.all([
      // No Temporal lies here, and nothing listens on port 9.
      ownProcess(['doctor', '--json'], {
        env: { PATH: '/usr/bin:/bin', SVC_URL: 'http://127.0.0.1:9', NODE_COMPILE_CACHE: undefined },
      }),
      svc(['doctor', '--json'], { env: { SVC_URL: 'http://svc.invalid' } }),
      svc(['doctor', '--json'], { env: { SVC_LIMITS: '{"nope":1}' } }),
    ])
    expect(fresh.code, fresh.stdout).to.equal(0)
    const states = (stdout: string): Record<string, string> =>
      Object.fromEntries(
        JSON.parse(stdout).findings.map(({ name, state }: { name: string; state: string }) => [name, state]),
      )
    expect(states(fresh.stdout)).to.include({
      node: 'ok',
      postgres: 'ok',
      temporal: 'unset',
      server: 'unset',
      key: 'unset',
    })
    expect(await readdir(folder)).not.to.include('.svc')
    expect(await readdir(join(folder, '.cache', 'svc'))).to.deep.equal(['compiled'])
    expect(states(elsewhere.stdout)).to.include({ stack: 'unset', server: 'bad' }).and.not.to.have.any.keys('temporal')
    expect(states(wrong.stdout)).to.include({ environment: 'bad' })
  })

  it('asks for a key where one is needed, as JSON when that is wanted', async () => {
    const { code, stdout, stderr } = await svc(['--json', 'jobs'])
    expect(code).to.equal(6)
    expect(stdout).to.equal('')
    expect(JSON.parse(stderr)).to.include({ code: 'missing_credential' })
  })

  it('writes completions that bash accepts and that know every command and option', async () => {
    const script = (await svc(['completion', 'bash'])).stdout
    const complete = (line: string) =>
      execFileSync(
        'bash',
        [
          '-c',
          `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _svc_complete; echo "\${COMPREPLY[*]}"`,
        ],
        { encoding: 'utf8' },
      ).trim()
    expect(complete('svc compl')).to.equal('completion')
    expect(complete('svc compile --fl')).to.equal('--floor')
    expect(complete('svc keys r')).to.equal('revoke rotate')
    expect(complete('svc sessions e')).to.equal('end')
    expect(complete('npx s')).to.equal('svc')
    expect(complete('npx svc compl')).to.equal('completion')
    expect(complete('svc --url http://127.0.0.1:1 compl')).to.equal('completion')
    expect(complete('svc keys cr')).to.equal('create')
    expect(complete('svc keys create --pre')).to.equal('--preset')
    expect(complete('svc help canc')).to.equal('cancel')
    expect(complete('npx svc compile --fl')).to.equal('--floor')
    expect(complete('npx other comp')).to.equal('')
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await svc(['completion', shell])
      expect(code).to.equal(0)
      expect(stdout).to.include('download').and.include('jwks')
    }
  })
})
