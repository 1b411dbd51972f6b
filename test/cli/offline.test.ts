import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { toJwk } from '../../core/evidence/keys/jwk.ts'
import { fixedSigningKey, sealFixture } from '../support/archives.ts'
import { runCli } from '../support/run-cli.ts'

describe('svc without a server', () => {
  let folder: string
  let file: string

  const svc = async (args: readonly string[], more: { stdin?: string; profileDir?: string } = {}) =>
    await runCli(args, { folder, profileDir: join(folder, 'no-profile'), ...more })

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

  it('ends wrong usage with 2 and says what is wrong', async () => {
    const cases: [string[], string][] = [
      [['bogus'], 'unknown command'],
      [['verify'], 'missing required argument'],
      [['compile', '--floor', '2'], 'from 0 to 1'],
      [['compile', '--format', 'xml'], 'jsonl, csv, json'],
      [['completion', 'tcsh'], 'bash, zsh, fish'],
      [['verify', 'absent.svc'], 'no such file'],
    ]
    await Promise.all(
      cases.map(async ([args, expected]) => {
        const { code, stderr } = await svc(args)
        expect({ args, code, stderr }).to.deep.include({ code: 2 })
        expect(stderr).to.include(expected)
      }),
    )
  })

  it('verifies against pinned keys: 0 for theirs, 3 for an unknown signer, 1 for others and for a changed archive', async () => {
    const own = join(folder, 'own.json')
    const other = join(folder, 'other.json')
    await writeFile(own, JSON.stringify({ keys: [toJwk(fixedSigningKey().publicKey)] }))
    await writeFile(other, JSON.stringify({ keys: [toJwk(fixedSigningKey(2).publicKey)] }))
    const changed = Buffer.from((await sealFixture()).archive)
    changed[200] = (changed[200] ?? 0) ^ 1
    await writeFile(join(folder, 'changed.svc'), changed)
    const profileDir = join(folder, 'profile')
    await mkdir(join(profileDir, 'svc'), { recursive: true })
    await writeFile(
      join(profileDir, 'svc', 'config.json'),
      JSON.stringify({ pinned_keys: [toJwk(fixedSigningKey().publicKey)] }),
    )

    const [pinned, named, unknown, foreign, broken] = await Promise.all([
      svc(['verify', file], { profileDir }),
      svc(['--json', 'verify', file, '--jwks', own, '--rerun']),
      svc(['verify', file]),
      svc(['verify', file, '--jwks', other]),
      svc(['--json', 'verify', 'changed.svc', '--jwks', own]),
    ])
    expect(pinned.code, pinned.stdout).to.equal(0)
    expect(pinned.stdout).to.include('is valid').and.include(fixedSigningKey().kid)
    expect(named.code, named.stdout).to.equal(0)
    expect(JSON.parse(named.stdout)).to.deep.include({ ok: true, trusted: 'trusted' })
    expect(unknown.code).to.equal(3)
    expect(unknown.stdout).to.include(fixedSigningKey().kid).and.include('unknown')
    expect(foreign.code).to.equal(1)
    expect(broken.code).to.equal(1)
    expect(JSON.parse(broken.stdout)).to.include({ ok: false })
  })

  it('runs an archive on one input, on lines, and refuses a damaged one', async () => {
    await writeFile(join(folder, 'cut.svc'), (await sealFixture()).archive.subarray(0, -7))
    const [one, piped, lines, json, damaged] = await Promise.all([
      svc(['run', file, 'straße']),
      svc(['run', file, '-'], { stdin: 'two words\n' }),
      svc(['run', file, '--lines'], { stdin: 'one\ntwo\n' }),
      svc(['run', file, '--json', '--text', '12'], {}),
      svc(['run', 'cut.svc', 'x']),
    ])
    expect(one).to.deep.include({ code: 0, stdout: 'STRASSE\n' })
    expect(piped).to.deep.include({ code: 0, stdout: 'TWO WORDS\n' })
    expect(lines).to.deep.include({ code: 0, stdout: 'ONE\nTWO\n' })
    expect(JSON.parse(json.stdout)).to.deep.include({ output: '12', abstained: false })
    expect(damaged.code).to.equal(1)
    expect(damaged.stderr).to.include('invalid_archive')
  })

  it('tells the line that has no answer, and goes on', async () => {
    const { code, stdout, stderr } = await svc(['run', file, '--lines'], { stdin: 'one\n[1]\ntwo\n' })
    expect(code).to.equal(1)
    expect(stdout).to.equal('ONE\n\nTWO\n')
    expect(stderr).to.include('line 2')
  })

  it('shows what is inside', async () => {
    const [text, json] = await Promise.all([svc(['inspect', file]), svc(['inspect', file, '--json'])])
    expect(text.code, text.stderr).to.equal(0)
    expect(text.stdout).to.include('upper(').and.include('K-score').and.include('manifest.json').and.include('cidv1:')
    expect(JSON.parse(json.stdout)).to.have.nested.property('manifest.artifact_class', 'program')
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
    expect(complete('svc comp')).to.equal('compile completion')
    expect(complete('svc compile --fl')).to.equal('--floor')
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await svc(['completion', shell])
      expect(code).to.equal(0)
      expect(stdout).to.include('download').and.include('jwks')
    }
  })
})
